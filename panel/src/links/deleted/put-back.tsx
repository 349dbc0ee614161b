import { Trans, useLingui } from "@lingui/react/macro";
import { Button, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, type DeletedLink } from "../../app/api.ts";
import { useSentence } from "../../ui/failure.tsx";
import { PopoverForm } from "../../ui/popover-form.tsx";
import { useFailureNotice } from "../../ui/undo.tsx";
import { refreshLinks } from "../link-queries.ts";
import { putBack } from "./deleted-queries.ts";

/** Asks for another code if the old one is taken. */
export function PutBack({ link }: { link: DeletedLink }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const sentenceOf = useSentence();
  const tell = useFailureNotice();
  const [code, setCode] = useState("");
  const [isAsking, setIsAsking] = useState(false);
  const restore = useMutation({
    mutationFn: () => putBack(link, isAsking ? code.trim() : ""),
    async onSuccess(saved) {
      setIsAsking(false);
      notifications.show({ message: t`${saved.short_url} is back.` });
      await refreshLinks(queries);
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
      onSubmit={() => restore.mutate()}
      opener={
        <Button
          size="compact-sm"
          variant="default"
          loading={restore.isPending}
          aria-label={t`Put back: ${link.code}`}
          onClick={() => restore.mutate()}
        >
          <Trans>Put back</Trans>
        </Button>
      }
    >
      <TextInput
        label={t`Another code`}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
        error={restore.error && sentenceOf(restore.error)}
        autoCapitalize="none"
        spellCheck={false}
        maxLength={128}
        data-autofocus
      />
      <Button type="submit" size="xs" loading={restore.isPending} disabled={code.trim() === ""}>
        <Trans>Put back</Trans>
      </Button>
    </PopoverForm>
  );
}
