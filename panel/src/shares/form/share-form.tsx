import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Stack, Switch, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { ApiError } from "../../base/api.ts";
import { SENDS_MAILS } from "../../base/place.ts";
import { accountQuery } from "../../auth/account.ts";
import { FormFields } from "../../ui/forms/side-form.tsx";
import { useDraftForm } from "../../ui/forms/use-draft-form.tsx";
import { LimitFields } from "./limit-fields.tsx";
import { MessageFields } from "./message-fields.tsx";
import type { SavedShare } from "./save-share.ts";
import { ShareCodeField } from "./share-code-field.tsx";
import { ShareLimits } from "./share-limits.tsx";
import {
  recipientsIn,
  type ShareSubject,
  type ShareUse,
  type ShareValues,
  valuesOfSubject,
} from "./share-values.ts";
import { UseField } from "./use-field.tsx";
import { ShareUpload, useShareUpload } from "./share-upload.tsx";
import { useLimits } from "./use-limits.ts";
import { useShareSave } from "./use-share-save.tsx";
import { isSaidInLists, useWrongEntries } from "./wrong-entries.ts";
import classes from "../shares.module.css";

type Props = {
  subject: ShareSubject;
  /** Whose files can be chosen; absent: those of the account. */
  team: string | undefined;
  /** Shows what the code of a share leads to among the fields. */
  showsUse?: boolean;
  /** Before the fields. */
  above?: ReactNode;
  /** Beside the fields; on phones after them. */
  aside(values: ShareValues): ReactNode;
  onClose(): void;
  /** Shows what was saved; a share that is none any more is not asked for again. */
  onSaved(saved: SavedShare): Promise<void>;
};

/** Creates or changes a share or drop box, and changes what a code leads to. */
export function ShareForm({ subject, team, above, aside, onClose, onSaved, showsUse = false }: Props) {
  const { t } = useLingui();
  const { data: account } = useQuery(accountQuery);
  const isEditor = account !== undefined && account.role !== "user";
  const initial = valuesOfSubject(subject);
  const { form, notice, forget } = useDraftForm<ShareValues>(draftOf(subject), initial, {
    secrets: ["password"],
    isWorth: (changes) => subject.form !== "new" || isTyped(changes),
  });
  const { values, errors } = form;
  const limits = useLimits(values);
  const isNew = subject.form === "new";
  const [isUseOpen, setIsUseOpen] = useState(showsUse);
  const isDrop = values.use === "drop";
  const upload = useShareUpload(team, values.use === "upload" ? values.item : null, (made) =>
    form.setFieldValue("item", made),
  );
  /** Shared as soon as all files are there. */
  const [waits, setWaits] = useState(false);
  const isEdited = JSON.stringify(values) !== JSON.stringify(initial);
  const save = useShareSave({
    subject,
    initial,
    team,
    form,
    onClose,
    onSaved,
    forget,
    onFields: limits.reveal,
  });
  const wrongEntries = useWrongEntries();
  const needsItem = isNew && initial.use !== "items" && initial.item === null;
  const columns = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isNew) columns.current?.querySelector<HTMLElement>("[data-autofocus]")?.focus();
  }, [isNew]);
  const isWanted = waits && !upload.isBusy;
  const saveNow = useEffectEvent(() => {
    setWaits(false);
    save.mutate();
  });
  useEffect(() => {
    if (isWanted) saveNow();
  }, [isWanted]);
  function submit(): void {
    const wrong = wrongEntries.typed(values, { isNew, isEmpty: upload.isEmpty });
    if (Object.keys(wrong).length > 0) form.setErrors(wrong);
    else if (values.use === "upload" && upload.isBusy) setWaits(true);
    else save.mutate();
  }

  const isFixed = isNew && !needsItem;
  const isSent = SENDS_MAILS && recipientsIn(values).length > 0;
  const title = (
    <TitleField form={form} isNewDrop={isNew && isDrop} isFirst={isFixed && (isDrop || !SENDS_MAILS)} />
  );
  return (
    <div className={classes["columns"]} ref={columns}>
      <Stack gap="lg">
        {above}
        <FormFields
          onSubmit={form.onSubmit(submit)}
          onClose={isNew || subject.form === "link" ? onClose : () => form.setValues(initial)}
          error={save.error instanceof ApiError && isSaidInLists(save.error) ? null : save.error}
          isPending={save.isPending || waits}
          isIdle={subject.form === "edit" && !isEdited}
          action={isNew ? (isDrop ? t`Create` : isSent ? t`Share and send` : t`Share`) : t`Save`}
        >
          {(subject.form !== "edit" || isUseOpen) && (
            <UseField
              team={team}
              values={values}
              code={subject.form === "edit" ? subject.share.code : null}
              uses={usesOf(subject, isEditor)}
              isItemFixed={isNew && subject.item !== null}
              onChange={form.setValues}
              errors={errors}
              upload={<ShareUpload upload={upload} error={errors["item"] as string | undefined} />}
            />
          )}
          {notice}
          {values.use === "url" ? (
            title
          ) : (
            <MessageFields form={form} isFirst={isFixed && !isDrop} title={title} />
          )}
          {isNew && isEditor && (
            <ShareCodeField
              value={values.code}
              onChange={(code) => form.setFieldValue("code", code)}
              error={errors["code"] as string | undefined}
            />
          )}
          {values.use === "folder" && <AddingSwitch form={form} />}
          {values.use !== "url" && <ShareLimits isDrop={isDrop} />}
          <LimitFields
            form={form}
            // A share needs a password of its own, as that of a redirect may be short.
            wasProtected={initial.isProtected && initial.use !== "url"}
            {...limits.section}
          />
          {subject.form === "edit" && !isUseOpen && (
            <Button
              size="compact-sm"
              variant="subtle"
              color="gray"
              w="fit-content"
              ms={-8}
              onClick={() => setIsUseOpen(true)}
            >
              <Trans context="share">Change what it leads to</Trans>
            </Button>
          )}
        </FormFields>
      </Stack>
      <div>{aside(values)}</div>
    </div>
  );
}

type TitleProps = { form: UseFormReturnType<ShareValues>; isNewDrop: boolean; isFirst: boolean };

function TitleField({ form, isNewDrop, isFirst }: TitleProps) {
  const { t } = useLingui();
  return (
    <TextInput
      {...form.getInputProps("title")}
      label={t`Title`}
      placeholder={isNewDrop ? t`For example: Files from the supplier` : ""}
      maxLength={200}
      data-autofocus={isFirst || undefined}
    />
  );
}

const AddingSwitch = ({ form }: { form: UseFormReturnType<ShareValues> }) => {
  const { t } = useLingui();
  return (
    <Switch
      {...form.getInputProps("adds", { type: "checkbox" })}
      label={t`Visitors can add files`}
      description={t`They see the folder. They delete and replace nothing.`}
    />
  );
};

/** Something is typed or uploaded. A choice alone is quickly made again. */
const isTyped = (changes: Partial<ShareValues>): boolean =>
  Object.keys(changes).some(
    (field) => field !== "use" && (!["item", "items"].includes(field) || changes.use === undefined),
  );

function draftOf(subject: ShareSubject): string {
  if (subject.form === "edit") return `share ${subject.share.code}`;
  if (subject.form === "link") return `use of ${subject.link.code}`;
  if (subject.items !== undefined) return "new share of items";
  if (subject.isDrop) return "new drop box";
  return subject.item === null ? "new share" : `new share of ${subject.item.kind} ${subject.item.id}`;
}

/** Only editors make links to URLs. */
function usesOf(subject: ShareSubject, isEditor: boolean): ShareUse[] {
  if (subject.form === "new") {
    if (subject.items !== undefined) return ["items"];
    if (subject.item?.kind === "file") return ["file"];
    return subject.item === null ? ["upload", "file", "folder", "drop"] : ["folder", "drop"];
  }
  const others: ShareUse[] = isEditor ? ["url", "file", "folder", "drop"] : ["file", "folder", "drop"];
  return subject.form === "edit" && subject.share.kind === "items" ? [...others, "items"] : others;
}
