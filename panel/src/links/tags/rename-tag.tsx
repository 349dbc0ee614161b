import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { TagCount } from "../../base/api.ts";
import { useSentence } from "../../ui/failure.tsx";
import { useLateResponse } from "../../ui/notices/late-answer.ts";
import { PopoverFields, PopoverForm } from "../../ui/dialogs/popover-form.tsx";
import { useDraftText } from "../../ui/forms/use-draft.tsx";
import { type OnTagChanged, renameTag, storedTag } from "./tag-queries.ts";

type Props = { tag: string; tags: readonly TagCount[]; onChanged: OnTagChanged };

export function RenameTag(props: Props) {
  const { tag } = props;
  const { t } = useLingui();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <PopoverForm
      isOpen={isOpen}
      onOpen={setIsOpen}
      opener={
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          aria-label={t`Rename ${tag}`}
          onClick={() => setIsOpen(!isOpen)}
        >
          <Trans>Rename</Trans>
        </Button>
      }
    >
      <NewName {...props} onClose={() => setIsOpen(false)} />
    </PopoverForm>
  );
}

/** Warns in advance if it merges. */
function NewName({ tag, tags, onChanged, onClose }: Props & { onClose(): void }) {
  const { t } = useLingui();
  const sentenceOf = useSentence();
  const { text, type, notice, forget } = useDraftText(`tag ${tag}`, tag);
  const requested = storedTag(text);
  const other = requested === tag ? undefined : tags.find((one) => one.tag === requested);
  const { close, tellIfGone } = useLateResponse(onClose);
  const rename = useMutation({
    mutationFn: () => renameTag(tag, text),
    async onSuccess(now) {
      forget();
      close();
      await onChanged(now, other ? t`${tag} is merged with ${now.tag}.` : t`${tag} is now ${now.tag}.`);
    },
    onError: tellIfGone,
  });
  return (
    <PopoverFields onSubmit={() => rename.mutate()}>
      {notice}
      <TextInput
        label={t`New name`}
        value={text}
        onChange={(event) => type(event.currentTarget.value)}
        error={rename.error && sentenceOf(rename.error)}
        dir="auto"
        data-autofocus
      />
      <Text size="sm" c="dimmed" aria-live="polite">
        {other && (
          <Plural
            value={other.links}
            one="There is such a tag on # link: they are merged."
            other="There is such a tag on # links: they are merged."
          />
        )}
      </Text>
      <Button
        type="submit"
        size="xs"
        loading={rename.isPending}
        disabled={requested === "" || requested === tag}
      >
        {other ? <Trans>Merge</Trans> : <Trans>Rename</Trans>}
      </Button>
    </PopoverFields>
  );
}
