import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { NumberInput, PasswordInput, Select, SimpleGrid, Stack, Switch, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useState } from "react";
import { formatBytes, formatDate } from "../../base/i18n.ts";
import { serverNow } from "../../base/server-clock.ts";
import { Disclosure } from "../../ui/disclosure.tsx";
import { BytesField } from "../../ui/forms/bytes-field.tsx";
import { Parts } from "../../ui/lists/parts.tsx";
import { ExpiryField } from "../../ui/forms/expiry-field.tsx";
import { type ShareValues, takesFiles } from "./share-values.ts";

type FieldsProps = { form: UseFormReturnType<ShareValues> };
type Props = FieldsProps & { wasProtected: boolean; isOpen: boolean; onToggle(): void };

/** How long, how often, how much, and for whom knows a password. */
export function LimitFields({ form, wasProtected, isOpen, onToggle }: Props) {
  const { t } = useLingui();
  const { values, errors, getInputProps, setFieldValue } = form;
  const isUrl = values.use === "url";
  const isDrop = values.use === "drop";
  return (
    <Disclosure label={t`Limits`} summary={<Summary values={values} />} isOpen={isOpen} onToggle={onToggle}>
      <Stack gap="sm" pt="xs">
        <ExpiryField
          value={values.expires}
          onChange={(expires) => setFieldValue("expires", expires)}
          error={errors["expires"]}
          lengths={["1d", "7d", "30d", "365d"]}
        />
        {!isUrl && <PasswordSwitch form={form} wasProtected={wasProtected} />}
        {(isDrop || takesFiles(values)) && <DropLimits form={form} />}
        {!isUrl && !isDrop && (
          <NumberInput
            {...getInputProps("maxDownloads")}
            label={t`Max. downloads`}
            placeholder={t`Unlimited`}
            min={1}
            allowDecimal={false}
          />
        )}
      </Stack>
    </Disclosure>
  );
}

const DAY_MS = 86_400_000;
const LENGTH = /^(\d+)d$/;

/** The instant at which a share ends; empty: never. */
export function endOf(expires: string): string {
  const days = LENGTH.exec(expires)?.[1];
  return days === undefined ? expires : new Date(serverNow() + Number(days) * DAY_MS).toISOString();
}

function Summary({ values }: { values: ShareValues }) {
  const { use, expires, isProtected, maxDownloads, maxFiles, maxBytes } = values;
  const end = endOf(expires);
  const downloads = Number(maxDownloads);
  const isOpenToFiles = use === "drop" || takesFiles(values);
  return (
    <Parts>
      {end !== "" && <Trans>Until {formatDate(end)}</Trans>}
      {isProtected && use !== "url" && <Trans>Password</Trans>}
      {downloads > 0 && use !== "url" && use !== "drop" && (
        <Plural value={downloads} one="# download" other="# downloads" />
      )}
      {isOpenToFiles && <Plural value={Number(maxFiles)} one="# file" other="# files" />}
      {isOpenToFiles && maxBytes !== null && formatBytes(maxBytes)}
    </Parts>
  );
}

const PasswordSwitch = ({ form, wasProtected }: FieldsProps & { wasProtected: boolean }) => {
  const { t } = useLingui();
  const { isProtected } = form.values;
  const [isTurnedOn, setIsTurnedOn] = useState(false);
  return (
    <Stack gap={6}>
      <Switch
        checked={isProtected}
        onChange={(event) => {
          setIsTurnedOn(true);
          form.setFieldValue("isProtected", event.currentTarget.checked);
        }}
        label={t`Ask for a password`}
      />
      {isProtected && (
        <PasswordInput
          {...form.getInputProps("password")}
          autoFocus={isTurnedOn}
          aria-label={t`Password`}
          placeholder={wasProtected ? t`Empty: it stays as it is` : t`At least 8 characters`}
          autoComplete="new-password"
          required={!wasProtected}
          minLength={8}
        />
      )}
    </Stack>
  );
};

const DropLimits = ({ form: { values, errors, getInputProps, setFieldValue } }: FieldsProps) => {
  const { t } = useLingui();
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="sm">
        <NumberInput
          {...getInputProps("maxFiles")}
          label={t`Max. files`}
          required
          withAsterisk={false}
          min={1}
          allowDecimal={false}
        />
        <BytesField
          label={t`Total size`}
          required
          value={values.maxBytes}
          onChange={(bytes) => setFieldValue("maxBytes", bytes)}
          error={errors["maxBytes"] as string | undefined}
        />
        <BytesField
          label={t`Largest file`}
          placeholder={t`Unlimited`}
          value={values.maxFileSize}
          onChange={(bytes) => setFieldValue("maxFileSize", bytes)}
          error={errors["maxFileSize"] as string | undefined}
        />
        <Select
          {...getInputProps("requires")}
          label={t`Senders give`}
          allowDeselect={false}
          data={[
            { value: "none", label: t`Nothing, or a name if they like` },
            { value: "name", label: t`Their name` },
            { value: "email", label: t`Their e-mail address` },
          ]}
        />
      </SimpleGrid>
      <TextInput
        {...getInputProps("types")}
        label={t`File types`}
        placeholder={t`All`}
        description={t`Extensions such as pdf, or kinds such as image/*, separated by commas`}
      />
      <Switch {...getInputProps("senderFolders", { type: "checkbox" })} label={t`A folder for each sender`} />
    </>
  );
};
