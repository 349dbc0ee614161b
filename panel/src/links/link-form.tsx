import { useLingui } from "@lingui/react/macro";
import { TagsInput, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDebouncedValue } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { ApiError, type Link } from "../app/api.ts";
import { fieldErrors, FormFields, SideForm } from "../ui/side-form.tsx";
import { availabilityQuery, changeLink, createLink, refreshLinks, tagsQuery } from "./link-queries.ts";

type Props = { edited: Link | "new" | null; onClose(): void; onSaved?(saved: Link): void };
type Values = { target: string; code: string; title: string; note: string; tags: string[]; expires: string };

const AVAILABILITY_DELAY_MS = 200;
const MOST_TAGS = 16;

export function LinkForm({ edited, onClose, onSaved }: Props) {
  const { t } = useLingui();
  const title = edited === "new" || edited === null ? t`New link` : t`Edit ${edited.code}`;
  return (
    <SideForm title={title} isOpen={edited !== null} onClose={onClose}>
      {edited !== null && (
        <Fields
          key={edited === "new" ? "" : `${edited.domain}/${edited.code}`}
          link={edited === "new" ? null : edited}
          onClose={onClose}
          onSaved={onSaved}
        />
      )}
    </SideForm>
  );
}

const valuesOf = (link: Link | null): Values => ({
  target: link?.target ?? "",
  code: link?.code ?? "",
  title: link?.title ?? "",
  note: link?.note ?? "",
  tags: link?.tags ?? [],
  expires: link?.expires_at ?? "",
});

type FieldsProps = { link: Link | null; onClose(): void; onSaved: Props["onSaved"] };

function Fields({ link, onClose, onSaved }: FieldsProps) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const form = useForm<Values>({ initialValues: valuesOf(link) });
  const { data: tags = [] } = useQuery(tagsQuery);
  const [code] = useDebouncedValue(form.values.code.trim(), AVAILABILITY_DELAY_MS);
  const isNewCode = code !== "" && code !== link?.code;
  const { data: availability } = useQuery({ ...availabilityQuery(code), enabled: isNewCode });
  const reasons = {
    invalid: t`A code has letters, digits and _ . - / only.`,
    reserved: t`This code is reserved.`,
    taken: t`Another link has this code.`,
    alias: t`This code is an alias of another link.`,
  };
  const isRefused = isNewCode && availability?.available === false;

  const save = useMutation({
    mutationFn(values: Values) {
      const shared = {
        target: values.target.trim(),
        title: values.title.trim() === "" ? null : values.title.trim(),
        note: values.note === "" ? null : values.note,
        tags: values.tags,
        expires_at: values.expires.trim() === "" ? null : values.expires.trim(),
      };
      const given = values.code.trim();
      if (link === null) return createLink({ ...shared, code: given === "" ? null : given });
      return changeLink(link, { ...shared, ...(given !== link.code && { code: given, keep_old: true }) });
    },
    async onSuccess(saved) {
      onClose();
      notifications.show({
        message: link === null ? t`${saved.short_url} is ready.` : t`${saved.code} is saved.`,
      });
      onSaved?.(saved);
      await refreshLinks(queries);
    },
    onError(error) {
      if (!(error instanceof ApiError)) return;
      const { expires_at: expires, ...others } = fieldErrors(error.details);
      form.setErrors({ ...others, ...(expires !== undefined && { expires }) });
    },
  });

  return (
    <FormFields
      onSubmit={form.onSubmit((values) => save.mutate(values))}
      onClose={onClose}
      error={save.error}
      isPending={save.isPending}
      isRefused={isRefused}
      action={link === null ? t`Create` : t`Save`}
    >
      <TextInput
        {...form.getInputProps("target")}
        label={t`Target`}
        placeholder="https://"
        type="url"
        required
        withAsterisk={false}
        data-autofocus
      />
      <TextInput
        {...form.getInputProps("code")}
        label={t`Code`}
        description={link === null ? t`Empty for a random one.` : t`The old code stays as an alias.`}
        error={form.errors["code"] ?? (isRefused && reasons[availability.reason ?? "taken"])}
        autoCapitalize="none"
        spellCheck={false}
        maxLength={128}
      />
      <TextInput {...form.getInputProps("title")} label={t`Title`} maxLength={200} />
      <Textarea
        {...form.getInputProps("note")}
        label={t`Note`}
        maxLength={2000}
        autosize
        minRows={2}
        maxRows={8}
      />
      <TagsInput
        {...form.getInputProps("tags")}
        label={t`Tags`}
        data={tags.map(({ tag }) => tag)}
        limit={100}
        maxTags={MOST_TAGS}
        acceptValueOnBlur
      />
      <TextInput
        {...form.getInputProps("expires")}
        label={t`Expires`}
        description={t`A date such as 2027-01-31T18:00:00Z, or a time from now such as 7d. Empty: never.`}
      />
    </FormFields>
  );
}
