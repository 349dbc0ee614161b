import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { TagCount } from "../../app/api.ts";
import { useSentence } from "../../ui/failure.tsx";
import { PopoverForm } from "../../ui/popover-form.tsx";
import { refreshLinks } from "../link-queries.ts";
import { renameTag, storedTag } from "./tag-queries.ts";

/** Says beforehand if it merges. */
export function RenameTag({ tag, tags }: { tag: string; tags: readonly TagCount[] }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const sentenceOf = useSentence();
  const [isOpen, setIsOpen] = useState(false);
  const [name, setName] = useState(tag);
  const wanted = storedTag(name);
  const other = wanted === tag ? undefined : tags.find((one) => one.tag === wanted);
  const rename = useMutation({
    mutationFn: () => renameTag(tag, name),
    async onSuccess(now) {
      setIsOpen(false);
      notifications.show({
        message: other ? t`${tag} is merged with ${now.tag}.` : t`${tag} is now ${now.tag}.`,
      });
      await refreshLinks(queries);
    },
  });
  return (
    <PopoverForm
      isOpen={isOpen}
      onOpen={setIsOpen}
      onSubmit={() => rename.mutate()}
      opener={
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          aria-label={t`Rename ${tag}`}
          onClick={() => {
            setName(tag);
            rename.reset();
            setIsOpen(!isOpen);
          }}
        >
          <Trans>Rename</Trans>
        </Button>
      }
    >
      <TextInput
        label={t`New name`}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={rename.error && sentenceOf(rename.error)}
        dir="auto"
        data-autofocus
      />
      <Text size="sm" c="dimmed" aria-live="polite">
        {other && (
          <Plural
            value={other.links}
            one="There is such a tag on # link: they are merged, for good."
            other="There is such a tag on # links: they are merged, for good."
          />
        )}
      </Text>
      <Button type="submit" size="xs" loading={rename.isPending} disabled={wanted === "" || wanted === tag}>
        {other ? <Trans>Merge</Trans> : <Trans>Rename</Trans>}
      </Button>
    </PopoverForm>
  );
}
