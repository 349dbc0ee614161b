import { Trans, useLingui } from "@lingui/react/macro";
import {
  Button,
  Group,
  NumberInput,
  PasswordInput,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
} from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ApiError, type ReportPage } from "../base/api.ts";
import { type Filter, filterIn } from "../clicks/filter.ts";
import { ExpiryField } from "../ui/forms/expiry-field.tsx";
import { fieldErrors, FormFields } from "../ui/forms/side-form.tsx";
import { useDraftForm } from "../ui/forms/use-draft-form.tsx";
import { ReportAddress } from "./report-address.tsx";
import { addReport, changeReport } from "./report-queries.ts";
import { ReportFilterField } from "./report-filter-field.tsx";

export type ReportStart = { filter: Filter; days?: number; from?: string; to?: string };

type Props = {
  /** Null: a new one. */
  report: ReportPage | null;
  start: ReportStart;
  onClose(): void;
};

const MOST_DAYS = 1_100;
const STANDARD_DAYS = 30;

export function ReportForm({ report, start, onClose }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const { form, notice, forget } = useDraftForm(
    report === null ? "new report" : `report ${report.id}`,
    {
      title: report?.title ?? "",
      filter: filterIn((report?.filter ?? start.filter) as Filter),
      isRange: report === null ? start.from !== undefined : report.days === null,
      days: report?.days ?? start.days ?? STANDARD_DAYS,
      from: report?.from ?? start.from ?? "",
      to: report?.to ?? start.to ?? "",
      code: "",
      expires: report?.expires_at ?? "",
      isProtected: (report?.password ?? null) !== null,
      password: "",
    },
    { secrets: ["password"] },
  );
  const save = useMutation({
    async mutationFn({
      title,
      filter,
      isRange,
      days,
      from,
      to,
      code,
      expires,
      isProtected,
      password,
    }: typeof form.values) {
      const when = isRange ? { from, to } : { days };
      if (report === null)
        return addReport({
          title,
          filter,
          ...when,
          ...(code !== "" && { code }),
          ...(expires !== "" && { expires_at: expires }),
          ...(isProtected && password !== "" && { password }),
        });
      await changeReport(report, {
        title,
        ...when,
        ...((report.paused || isChanged(filter, report)) && { filter: { ...restOf(report), ...filter } }),
        ...(expires !== (report.expires_at ?? "") && { expires_at: expires === "" ? null : expires }),
        ...(isProtected ? password !== "" && { password } : report.password !== null && { password: null }),
      });
      return null;
    },
    async onSuccess(made) {
      forget();
      if (made === null) onClose();
      await queries.invalidateQueries({ queryKey: ["report pages"] });
    },
    onError(error) {
      if (error instanceof ApiError) form.setErrors(fieldErrors(error.details));
    },
  });
  if (save.data) return <ReportReady address={save.data.short_url} onClose={onClose} />;
  return (
    <FormFields
      onSubmit={form.onSubmit((given) => save.mutate(given))}
      onClose={onClose}
      error={save.error}
      isPending={save.isPending}
      action={report === null ? t`Create` : t`Save`}
    >
      {notice}
      <ReportFields form={form} report={report} />
    </FormFields>
  );
}

function ReportReady({ address, onClose }: { address: string; onClose(): void }) {
  return (
    <Stack gap="md" role="status">
      <Text size="sm">
        <Trans>Whoever has this short URL can see the report.</Trans>
      </Text>
      <ReportAddress address={address} isFocused />
      <Group justify="end">
        <Button variant="default" onClick={onClose}>
          <Trans>Done</Trans>
        </Button>
      </Group>
    </Stack>
  );
}

type Values = {
  title: string;
  filter: Filter;
  isRange: boolean;
  days: number;
  from: string;
  to: string;
  code: string;
  expires: string;
  isProtected: boolean;
  password: string;
};

const isChanged = (filter: Filter, { filter: before }: ReportPage): boolean =>
  JSON.stringify(filter) !== JSON.stringify(filterIn(before as Filter));

/** What this form does not show stays. */
const restOf = ({ filter }: ReportPage) => {
  const shown = filterIn(filter as Filter);
  return Object.fromEntries(Object.entries(filter).filter(([name]) => !(name in shown)));
};

type FieldsProps = Pick<Props, "report"> & { form: UseFormReturnType<Values> };

function ReportFields({ form, report }: FieldsProps) {
  const { t } = useLingui();
  const { values, errors } = form;
  return (
    <>
      <TextInput
        {...form.getInputProps("title")}
        label={t`Title`}
        description={t`The heading of the page`}
        required
        withAsterisk={false}
        maxLength={200}
        data-autofocus
      />
      <ReportFilterField
        filter={values.filter}
        team={report?.filter.team}
        onChange={(filter) => form.setFieldValue("filter", filter)}
        error={errors["filter"]}
      />
      <Switch {...form.getInputProps("isRange", { type: "checkbox" })} label={t`A fixed range of days`} />
      {values.isRange ? (
        <SimpleGrid cols={2}>
          <TextInput
            {...form.getInputProps("from")}
            type="date"
            label={t`First day`}
            required
            withAsterisk={false}
          />
          <TextInput
            {...form.getInputProps("to")}
            type="date"
            label={t`Last day`}
            required
            withAsterisk={false}
          />
        </SimpleGrid>
      ) : (
        <NumberInput
          {...form.getInputProps("days")}
          label={t`Days up to today`}
          min={1}
          max={MOST_DAYS}
          allowDecimal={false}
        />
      )}
      {report === null && (
        <TextInput
          {...form.getInputProps("code")}
          label={t`Code`}
          description={t`Empty: a long random one, which nobody guesses`}
          spellCheck={false}
          autoCapitalize="none"
        />
      )}
      <ExpiryField
        value={values.expires}
        onChange={(expires) => form.setFieldValue("expires", expires)}
        error={errors["expires_at"]}
        lengths={["30d", "90d", "365d"]}
      />
      <Switch
        {...form.getInputProps("isProtected", { type: "checkbox" })}
        label={t`Visitors need a password`}
      />
      {values.isProtected && (
        <PasswordInput
          {...form.getInputProps("password")}
          aria-label={t`Password`}
          placeholder={report?.password ? t`Empty: it stays as it is` : t`At least 8 characters`}
          autoComplete="new-password"
          required={!report?.password}
          minLength={8}
        />
      )}
    </>
  );
}
