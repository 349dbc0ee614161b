import { useLingui } from "@lingui/react/macro";
import { Switch, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { accountQuery } from "../../auth/account.ts";
import { ApiError } from "../../base/api.ts";
import { fieldErrors, FormFields } from "../../ui/forms/side-form.tsx";
import { CopyAction } from "../../ui/copy/copy-action.tsx";
import { showActions } from "../../ui/notices/action-notice.tsx";
import { useLateResponse } from "../../ui/notices/late-answer.ts";
import { useUndoOffer } from "../../ui/notices/undo.tsx";
import { useDraftForm } from "../../ui/forms/use-draft-form.tsx";
import { LimitFields } from "./limit-fields.tsx";
import { MessageFields } from "./message-fields.tsx";
import { type SavedShare, saveShare } from "./save-share.ts";
import { ShareCodeField } from "./share-code-field.tsx";
import { ShareLimits } from "./share-limits.tsx";
import { refreshShares } from "../share-queries.ts";
import {
  type ShareSubject,
  type ShareUse,
  type ShareValues,
  typesIn,
  valuesOfSubject,
} from "./share-values.ts";
import { UseField } from "./use-field.tsx";
import { useSections } from "./use-sections.ts";

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
  require: "requires",
};

export function ShareForm({ subject, team, onClose, onSaved }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const { data: account } = useQuery(accountQuery);
  const isEditor = account !== undefined && account.role !== "user";
  const initial = valuesOfSubject(subject);
  const { form, notice, forget } = useDraftForm<ShareValues>(draftOf(subject), initial, ["password"]);
  const { values, errors } = form;
  const sections = useSections(values);
  const isNew = subject.form === "new";
  const isDrop = values.use === "drop";
  const { isThere, tellIfGone } = useLateResponse(onClose);
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
      const named = Object.entries(fieldErrors(error.details)).map(
        ([field, message]) => [FIELDS[field] ?? field, message] as const,
      );
      const wrong = wrongTypeOf(error, values);
      const said = t`“${wrong}” is neither an extension such as pdf nor a kind such as image/*.`;
      form.setErrors({ ...Object.fromEntries(named), ...(wrong !== undefined && { types: said }) });
      sections.reveal(named.map(([field]) => field));
    },
  });
  const needsItem = isNew && initial.use !== "items" && initial.item === null;
  const requested = values.use === "file" ? "file" : "folder";
  function submit(): void {
    if (values.use !== "url" && values.use !== "items" && values.item?.kind !== requested) {
      form.setErrors({ item: requested === "file" ? t`Choose a file.` : t`Choose a folder.` });
      return;
    }
    save.mutate();
  }

  return (
    <FormFields
      onSubmit={form.onSubmit(submit)}
      onClose={onClose}
      error={wrongTypeOf(save.error, values) === undefined ? save.error : null}
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
      {isNew && isEditor && (
        <ShareCodeField
          value={values.code}
          onChange={(code) => form.setFieldValue("code", code)}
          error={errors["code"] as string | undefined}
        />
      )}
      {values.use === "folder" && <AddingSwitch form={form} />}
      {values.use !== "url" && <ShareLimits isDrop={isDrop} />}
      {values.use !== "url" && <MessageFields form={form} {...sections.of("message")} />}
      <LimitFields form={form} wasProtected={initial.isProtected} {...sections.of("limits")} />
    </FormFields>
  );
}

/** Which of the types the server can't read; its field says so. */
function wrongTypeOf(error: Error | null, { types }: ShareValues): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const at = error.details.map(({ field }) => /^types\.(\d+)$/.exec(field)?.[1]).find(Boolean);
  return at === undefined ? undefined : typesIn(types)[Number(at)];
}

const AddingSwitch = ({ form }: { form: ReturnType<typeof useDraftForm<ShareValues>>["form"] }) => {
  const { t } = useLingui();
  return (
    <Switch
      {...form.getInputProps("adds", { type: "checkbox" })}
      label={t`Visitors can add files`}
      description={t`They see the folder. They delete and replace nothing.`}
    />
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
