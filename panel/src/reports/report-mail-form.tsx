import { useLingui } from "@lingui/react/macro";
import { SegmentedControl, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ApiError, type ReportMail, type ReportPage } from "../base/api.ts";
import { SEPARATORS } from "../base/targets.ts";
import { fieldErrors, FormFields } from "../ui/forms/side-form.tsx";
import { useDraftForm } from "../ui/forms/use-draft-form.tsx";
import { useIntervalNames } from "./interval-names.ts";
import { addReportMail, changeReportMail } from "./report-queries.ts";

type Props = { mail: ReportMail | null; page: ReportPage | null; onClose(): void };

const MOST_ADDRESSES = 50;

export function ReportMailForm({ mail, page, onClose }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const names = useIntervalNames();
  const { form, notice, forget } = useDraftForm(mail === null ? `new mail ${page?.id}` : `mail ${mail.id}`, {
    every: mail?.every ?? ("week" as ReportMail["every"]),
    at: mail?.at ?? "08:00",
    to: mail?.to ?? [],
  });
  const save = useMutation({
    mutationFn: (values: typeof form.values) =>
      mail === null ? addReportMail({ page_id: page!.id, ...values }) : changeReportMail(mail, values),
    async onSuccess() {
      forget();
      onClose();
      await queries.invalidateQueries({ queryKey: ["report pages"] });
    },
    onError(error) {
      if (error instanceof ApiError) form.setErrors(fieldErrors(error.details));
    },
  });
  return (
    <FormFields
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
      error={save.error}
      isPending={save.isPending}
      action={mail === null ? t`Create` : t`Save`}
    >
      {notice}
      <TagsInput
        {...form.getInputProps("to")}
        label={t`Recipients`}
        description={t`E-mail addresses. Those that belong to no account here are asked first.`}
        maxTags={MOST_ADDRESSES}
        splitChars={[...SEPARATORS, " "]}
        acceptValueOnBlur
        data-autofocus
      />
      <Stack gap={4}>
        <Text size="sm" fw={500} id="report-every">
          {t`How often`}
        </Text>
        <SegmentedControl
          aria-labelledby="report-every"
          value={form.values.every}
          onChange={(every) => form.setFieldValue("every", every as ReportMail["every"])}
          data={Object.entries(names).map(([value, label]) => ({ value, label }))}
        />
      </Stack>
      <TextInput
        {...form.getInputProps("at")}
        type="time"
        label={t`Time of day`}
        required
        withAsterisk={false}
      />
    </FormFields>
  );
}
