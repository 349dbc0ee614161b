import { useLingui } from "@lingui/react/macro";
import { NumberInput, PasswordInput, SimpleGrid, Stack, Switch, Textarea, TextInput } from "@mantine/core";
import { SENDS_MAILS } from "../../base/place.ts";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { accountQuery } from "../../auth/account.ts";
import { ApiError } from "../../base/api.ts";
import { fieldErrors, FormFields } from "../../ui/forms/side-form.tsx";
import { BytesField } from "../../ui/forms/bytes-field.tsx";
import { CopyAction } from "../../ui/copy/copy-action.tsx";
import { showActions } from "../../ui/notices/action-notice.tsx";
import { useLateAnswer } from "../../ui/notices/late-answer.ts";
import { useUndoOffer } from "../../ui/notices/undo.tsx";
import { useDraftForm } from "../../ui/forms/use-draft-form.tsx";
import { ExpiryField } from "../../ui/forms/expiry-field.tsx";
import { type SavedShare, saveShare } from "./save-share.ts";
import { ShareCodeField } from "./share-code-field.tsx";
import { ShareLimits } from "./share-limits.tsx";
import { refreshShares } from "../share-queries.ts";
import {
  recipientsIn,
  type ShareSubject,
  type ShareUse,
  type ShareValues,
  takesFiles,
  valuesOfSubject,
} from "./share-values.ts";
import { UseField } from "./use-field.tsx";

type Props = {
  subject: ShareSubject;
  team: string | undefined;
  onClose(): void;
  onSaved(saved: SavedShare): void;
};

/** Field names of the server, and of the form. */
const FIELDS: Record<string, keyof ShareValues> = {
  expires_at: "expires",
  max_downloads: "maxDownloads",
  max_bytes: "maxBytes",
  max_files: "maxFiles",
  max_file_size: "maxFileSize",
};

export function ShareForm({ subject, team, onClose, onSaved }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const { data: account } = useQuery(accountQuery);
  const isEditor = account !== undefined && account.role !== "user";
  const initial = valuesOfSubject(subject);
  const { form, notice, forget } = useDraftForm<ShareValues>(draftOf(subject), initial, ["password"]);
  const { values, errors } = form;
  const isNew = subject.form === "new";
  const isDrop = values.use === "drop";
  const { isThere, tellIfGone } = useLateAnswer(onClose);
  const offerUndo = useUndoOffer();
  function tell(saved: SavedShare): void {
    const { code, use, undo } = saved;
    const isRedirect = use === "url" && initial.use !== "url";
    const message = isRedirect
      ? t`${code} redirects now. It is among the links.`
      : t`${saved.code} is saved.`;
    if (undo === null) notifications.show({ message });
    else offerUndo({ message, undo, refresh: () => refreshShares(queries) });
  }
  const save = useMutation({
    mutationFn: () => saveShare(subject, initial, values),
    async onSuccess(saved) {
      forget();
      if (!isNew) tell(saved);
      if (isThere()) onSaved(saved);
      else if (saved.made !== null) {
        const { made } = saved;
        showActions(t`${made.short_url} is ready.`, <CopyAction address={made.short_url} />);
      }
      await refreshShares(queries);
    },
    onError(error) {
      tellIfGone(error);
      if (!(error instanceof ApiError)) return;
      const named = Object.entries(fieldErrors(error.details));
      form.setErrors(Object.fromEntries(named.map(([field, message]) => [FIELDS[field] ?? field, message])));
    },
  });
  const needsItem = isNew && initial.use !== "items" && initial.item === null;
  const wanted = values.use === "file" ? "file" : "folder";
  function submit(): void {
    if (values.use !== "url" && values.use !== "items" && values.item?.kind !== wanted) {
      form.setErrors({ item: wanted === "file" ? t`Choose a file.` : t`Choose a folder.` });
      return;
    }
    save.mutate();
  }

  return (
    <FormFields
      onSubmit={form.onSubmit(submit)}
      onClose={onClose}
      error={save.error}
      isPending={save.isPending}
      action={isNew ? (isDrop ? t`Create` : t`Share`) : t`Save`}
    >
      {notice}
      <UseField
        team={team}
        values={values}
        code={subject.form === "edit" ? subject.share.code : null}
        uses={usesOf(subject, isEditor)}
        isItemFixed={isNew && subject.item !== null}
        onChange={form.setValues}
        errors={errors}
      />
      <TextInput
        {...form.getInputProps("title")}
        label={t`Title`}
        description={isDrop ? t`Visitors see it above the form.` : t`Visitors see it as the heading.`}
        maxLength={200}
        data-autofocus={needsItem ? undefined : true}
      />
      {values.use !== "url" && (
        <Textarea
          {...form.getInputProps("message")}
          label={t`Message`}
          description={isDrop ? t`Visitors see it above the form.` : t`Visitors see it above the files.`}
          autosize
          minRows={2}
          maxRows={8}
          maxLength={2000}
        />
      )}
      {values.use !== "url" && !isDrop && <RecipientFields form={form} />}
      {isNew && isEditor && (
        <ShareCodeField
          value={values.code}
          onChange={(code) => form.setFieldValue("code", code)}
          error={errors["code"] as string | undefined}
        />
      )}
      {values.use !== "url" && <ShareLimits isDrop={isDrop} />}
      <ExpiryField
        value={values.expires}
        onChange={(expires) => form.setFieldValue("expires", expires)}
        error={errors["expires"]}
        lengths={["1d", "7d", "30d", "365d"]}
      />
      {values.use !== "url" && <PasswordSwitch form={form} wasProtected={initial.isProtected} />}
      {values.use === "folder" && <AddingSwitch form={form} />}
      {(isDrop || takesFiles(values)) && <DropLimits form={form} />}
      {values.use !== "url" && !isDrop && (
        <NumberInput
          {...form.getInputProps("maxDownloads")}
          label={t`Max. downloads`}
          placeholder={t`Unlimited`}
          min={1}
          allowDecimal={false}
        />
      )}
    </FormFields>
  );
}

type FieldsProps = { form: ReturnType<typeof useDraftForm<ShareValues>>["form"] };

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

/** Where mails can be sent, or were. */
const RecipientFields = ({ form }: FieldsProps) => {
  const { t } = useLingui();
  const hasRecipients = recipientsIn(form.values).length > 0;
  if (!SENDS_MAILS && !hasRecipients) return null;
  return (
    <Stack gap={6}>
      <Textarea
        {...form.getInputProps("recipients")}
        label={t`Recipients`}
        description={t`They get a mail with the link.`}
        autosize
        maxRows={6}
        inputMode="email"
        autoCapitalize="none"
        spellCheck={false}
      />
      {hasRecipients && (
        <Switch
          {...form.getInputProps("verify", { type: "checkbox" })}
          label={t`For recipients only`}
          description={t`They prove their address by a code in a mail.`}
        />
      )}
    </Stack>
  );
};

const AddingSwitch = ({ form }: FieldsProps) => {
  const { t } = useLingui();
  return (
    <Switch
      {...form.getInputProps("adds", { type: "checkbox" })}
      label={t`Visitors can add files`}
      description={t`They see the folder. They delete and replace nothing.`}
    />
  );
};

const DropLimits = ({ form: { values, errors, getInputProps, setFieldValue } }: FieldsProps) => {
  const { t } = useLingui();
  return (
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
    </SimpleGrid>
  );
};

function draftOf(subject: ShareSubject): string {
  if (subject.form === "edit") return `share ${subject.share.code}`;
  if (subject.form === "link") return `use of ${subject.link.code}`;
  if (subject.items !== undefined) return "new share of items";
  return subject.item === null ? "new share" : `new share of ${subject.item.kind} ${subject.item.id}`;
}

/** Only editors make links to URLs. */
function usesOf(subject: ShareSubject, isEditor: boolean): ShareUse[] {
  if (subject.form === "new") {
    if (subject.items !== undefined) return ["items"];
    if (subject.item?.kind === "file") return ["file"];
    return subject.item === null ? ["file", "folder", "drop"] : ["folder", "drop"];
  }
  const others: ShareUse[] = isEditor ? ["url", "file", "folder", "drop"] : ["file", "folder", "drop"];
  return subject.form === "edit" && subject.share.kind === "items" ? [...others, "items"] : others;
}
