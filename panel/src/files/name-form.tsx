import { useLingui } from "@lingui/react/macro";
import { TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { FormFields } from "../ui/side-form.tsx";
import { refreshFiles } from "./file-queries.ts";

type Props = { name: string; action: string; onSave(name: string): Promise<unknown>; onClose(): void };

/** The name of a new folder, or a new name. */
export function NameForm({ name, action, onSave, onClose }: Props) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const [typed, setTyped] = useState(name);
  const save = useMutation({
    mutationFn: () => onSave(typed),
    async onSuccess() {
      onClose();
      await refreshFiles(queries);
    },
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
      <TextInput
        label={t`Name`}
        required
        withAsterisk={false}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        data-autofocus
      />
    </FormFields>
  );
}
