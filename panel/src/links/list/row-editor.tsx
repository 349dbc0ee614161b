import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { ApiError, type Link, type LinkPatch } from "../../base/api.ts";
import { useSentence } from "../../ui/failure.tsx";
import { useOpenEditor } from "../../ui/keys/page-keys.ts";
import { submitByKey } from "../../ui/keys/submit-key.ts";
import { useLateResponse } from "../../ui/notices/late-answer.ts";
import { fieldErrors } from "../../ui/forms/side-form.tsx";
import { useUndoOffer } from "../../ui/notices/undo.tsx";
import { useDraftForm } from "../../ui/forms/use-draft-form.tsx";
import { ChangedNotice } from "../form/changed-elsewhere.tsx";
import { MOST_TYPED, useTooLong } from "../form/target-bound.ts";
import { withScheme } from "../form/with-scheme.ts";
import { changeSeen, refreshLinks, setLinkBack } from "../link-queries.ts";
import { localOf, timeOfLocal } from "./local-time.ts";
import { keyOfLink, showChanged } from "./page-queries.ts";
import { isAddress } from "../../ui/lists/target-use.tsx";
import { TagsField } from "../tags-field.tsx";
import classes from "./editor.module.css";

type Values = { title: string; target: string; tags: string[]; expires_at: string };

const valuesOf = (link: Link): Values => ({
  title: link.title ?? "",
  target: link.target,
  tags: link.tags,
  expires_at: localOf(link.expires_at),
});

/** The fields that differ. */
function changesOf(link: Link, values: Values): LinkPatch {
  const old = valuesOf(link);
  const next: Required<Pick<LinkPatch, "title" | "target" | "tags" | "expires_at">> = {
    title: values.title.trim() === "" ? null : values.title.trim(),
    target: withScheme(values.target),
    tags: values.tags,
    expires_at: timeOfLocal(values.expires_at),
  };
  const patch: LinkPatch = {};
  for (const name of ["title", "target", "tags", "expires_at"] as const) {
    if (JSON.stringify(old[name]) === JSON.stringify(values[name])) continue;
    Object.assign(patch, { [name]: next[name] });
  }
  return patch;
}

type Props = {
  link: Link;
  /** Pixels. */
  top: number;
  onClose(): void;
};

/** Edits a link in its row. The draft stays until it is saved or cancelled. */
export function RowEditor({ link: current, top, onClose }: Props) {
  // What others change meanwhile must not look like a change of this form.
  const [link] = useState(current);
  const { t } = useLingui();
  const queries = useQueryClient();
  const sentenceOf = useSentence();
  const offerUndo = useUndoOffer();
  const box = useRef<HTMLFormElement>(null);
  const { form, notice, forget } = useDraftForm<Values>(`row ${keyOfLink(link)}`, valuesOf(link));
  const tooLong = useTooLong(form.values.target);
  const { close, tellIfGone } = useLateResponse(onClose);
  const save = useMutation({
    mutationFn: async ({ values, seen }: { values: Values; seen: Link }) => {
      const patch = changesOf(link, values);
      if (Object.keys(patch).length === 0) return null;
      const before = Object.fromEntries(Object.keys(patch).map((name) => [name, seen[name as keyof Link]]));
      return { saved: await changeSeen(seen, patch), before };
    },
    async onSuccess(done) {
      forget();
      close();
      if (done === null) return;
      const { saved, before } = done;
      showChanged(queries, link, saved);
      offerUndo({
        message: <Trans>{`/${saved.code}`} is saved.</Trans>,
        undo: async () => showChanged(queries, saved, await setLinkBack(saved, before)),
        refresh: () => refreshLinks(queries),
      });
      await refreshLinks(queries);
    },
    onError(error) {
      tellIfGone(error);
      if (error instanceof ApiError) form.setErrors(fieldErrors(error.details));
    },
  });

  useOpenEditor(onClose);
  useEffect(() => {
    const [first] = ['[data-field="target"] input', "input"].flatMap(
      (one) => box.current?.querySelector<HTMLInputElement>(one) ?? [],
    );
    first?.select();
    first?.focus();
    box.current?.scrollIntoView({ block: "nearest" });
  }, []);

  function onKeyDown(event: KeyboardEvent<HTMLFormElement>): void {
    if (event.key === "Escape" && !event.defaultPrevented && !event.nativeEvent.isComposing) {
      event.stopPropagation();
      event.preventDefault();
      onClose();
    } else submitByKey(event);
  }

  const errors = Object.entries(form.errors).filter(([name]) => !(name in form.values));
  const isUnplaced =
    save.error instanceof ApiError && (Object.keys(form.errors).length === 0 || errors.length > 0);
  return (
    <div role="row" className={classes["editor"]} style={{ top }}>
      <div role="gridcell">
        <form
          ref={box}
          aria-label={t`Edit ${link.code}`}
          className={classes["form"]}
          onKeyDown={onKeyDown}
          onSubmit={form.onSubmit((values) => save.mutate({ values, seen: link }))}
        >
          {notice}
          <ChangedNotice
            error={save.error}
            onMine={(seen) => save.mutate({ values: form.values, seen })}
            onTheirs={() => {
              forget();
              onClose();
            }}
          />
          <div className={classes["fields"]}>
            <TextInput
              {...form.getInputProps("title")}
              wrapperProps={{ "data-field": "title" }}
              label={t`Title`}
              maxLength={200}
              size="xs"
            />
            {isAddress(link.target) && (
              <TextInput
                {...form.getInputProps("target")}
                {...(tooLong !== null && { error: tooLong })}
                wrapperProps={{ "data-field": "target" }}
                label={t`Target`}
                maxLength={MOST_TYPED}
                size="xs"
              />
            )}
            <TagsField
              {...form.getInputProps("tags")}
              wrapperProps={{ "data-field": "tags" }}
              label={t`Tags`}
              size="xs"
            />
            <TextInput
              {...form.getInputProps("expires_at")}
              wrapperProps={{ "data-field": "expires" }}
              type="datetime-local"
              label={t`Expires`}
              size="xs"
            />
          </div>
          <Foot
            code={link.code}
            problem={isUnplaced ? sentenceOf(save.error) : null}
            isPending={save.isPending}
            onClose={onClose}
          />
        </form>
      </div>
    </div>
  );
}

type FootProps = { code: string; problem: string | null; isPending: boolean; onClose(): void };

const Foot = ({ code, problem, isPending, onClose }: FootProps) => (
  <Group justify="space-between" gap="xs" wrap="nowrap">
    {problem !== null ? (
      <Text role="alert" size="sm" c="red" style={{ overflowWrap: "anywhere" }}>
        {problem}
      </Text>
    ) : (
      <Text size="xs" c="dimmed" truncate>
        {code}
      </Text>
    )}
    <Group gap="xs" wrap="nowrap">
      <Button size="compact-sm" variant="default" onClick={onClose}>
        <Trans>Cancel</Trans>
      </Button>
      <Button size="compact-sm" type="submit" loading={isPending}>
        <Trans>Save</Trans>
      </Button>
    </Group>
  </Group>
);
