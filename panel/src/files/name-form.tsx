import { useLingui } from "@lingui/react/macro";
import { TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { useLateResponse } from "../ui/notices/late-answer.ts";
import { FormFields } from "../ui/forms/side-form.tsx";
import { useDraftText } from "../ui/forms/use-draft.tsx";
import { refreshFiles } from "./file-queries.ts";

type Props = {
  /** Of what is typed. */
  draft: string;
  action: string;
  onSave(name: string): Promise<unknown>;
  onClose(): void;
};

/** The name of a new folder. */
export function NameForm({ draft, action, onSave, onClose }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const { text, type, notice, forget } = useDraftText(draft, "");
  const { close, tellIfGone } = useLateResponse(onClose);
  const save = useMutation({
    mutationFn: () => onSave(text),
    async onSuccess() {
      forget();
      close();
      await refreshFiles(queries);
    },
    onError: tellIfGone,
  });
  function submit(event: FormEvent): void {
    event.preventDefault();
    save.mutate();
  }
  return (
    <FormFields
      onSubmit={submit}
      onClose={onClose}
      error={save.error}
      isPending={save.isPending}
      action={action}
    >
      {notice}
      <TextInput
        label={t`Name`}
        required
        withAsterisk={false}
        value={text}
        onChange={(event) => type(event.currentTarget.value)}
        data-autofocus
      />
    </FormFields>
  );
}
