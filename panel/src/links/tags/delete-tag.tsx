import { Trans, useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useFailureNotice } from "../../ui/notices/undo.tsx";
import { deleteTag, type OnTagChanged } from "./tag-queries.ts";

export function DeleteTag({ tag, onChanged }: { tag: string; onChanged: OnTagChanged }) {
  const { t } = useLingui();
  const onError = useFailureNotice();
  const deleting = useMutation({
    mutationFn: () => deleteTag(tag),
    onSuccess: (changed) => onChanged(changed, t`The tag ${tag} is deleted.`),
    onError,
  });
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="red"
      aria-label={t`Delete ${tag}`}
      loading={deleting.isPending}
      onClick={() => deleting.mutate()}
    >
      <Trans>Delete</Trans>
    </Button>
  );
}
