import { Trans, useLingui } from "@lingui/react/macro";
import { Button, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, type DeletedLink } from "../../base/api.ts";
import { dropDraft } from "../../ui/forms/draft.ts";
import { useSentence } from "../../ui/failure.tsx";
import { giveFocusBack } from "../../ui/focus-back.ts";
import { PopoverFields, PopoverForm } from "../../ui/dialogs/popover-form.tsx";
import { useFailureNotice } from "../../ui/notices/undo.tsx";
import { useDraftText } from "../../ui/forms/use-draft.tsx";
import { refreshLinks } from "../link-queries.ts";
import { putBack } from "./deleted-queries.ts";

/** Asks for another code if the old one is taken. */
export function PutBack({ link }: { link: DeletedLink }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const tell = useFailureNotice();
  const [isAsking, setIsAsking] = useState(false);
  const draft = `code of deleted ${link.id}`;
  const restore = useMutation({
    /** @param code empty: the old one */
    mutationFn: (code: string) => putBack(link, code),
    async onSuccess(saved) {
      setIsAsking(false);
      dropDraft(draft);
      notifications.show({ message: t`${saved.short_url} is back.` });
      await refreshLinks(queries);
      giveFocusBack();
    },
    onError(error) {
      const isAboutCode =
        error instanceof ApiError &&
        /^Link(?:AlreadyExists|InvalidCode|ReservedCode)$/.test(error.error ?? "");
      if (isAboutCode || isAsking) setIsAsking(true);
      else tell(error);
    },
  });
  return (
    <PopoverForm
      isOpen={isAsking}
      onOpen={setIsAsking}
      opener={
        <Button
          size="xs"
          variant="default"
          loading={restore.isPending}
          aria-label={t`Put back: ${link.code}`}
          onClick={() => restore.mutate("")}
        >
          <Trans>Put back</Trans>
        </Button>
      }
    >
      <OtherCode draft={draft} {...restore} onCode={(code) => restore.mutate(code)} />
    </PopoverForm>
  );
}

type Props = { draft: string; error: Error | null; isPending: boolean; onCode(code: string): void };

function OtherCode({ draft, error, isPending, onCode }: Props) {
  const { t } = useLingui();
  const sentenceOf = useSentence();
  const { text, type, notice } = useDraftText(draft, "");
  return (
    <PopoverFields onSubmit={() => onCode(text.trim())}>
      {notice}
      <TextInput
        label={t`Another code`}
        value={text}
        onChange={(event) => type(event.currentTarget.value)}
        error={error && sentenceOf(error)}
        autoCapitalize="none"
        spellCheck={false}
        maxLength={128}
        data-autofocus
      />
      <Button type="submit" size="xs" loading={isPending} disabled={text.trim() === ""}>
        <Trans>Put back</Trans>
      </Button>
    </PopoverFields>
  );
}
