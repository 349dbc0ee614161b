import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, TextInput } from "@mantine/core";
import { IconFolderPlus } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useSentence } from "../../ui/failure.tsx";
import { useNamed } from "../../ui/forms/named.ts";
import { createFolder, refreshFiles } from "../file-queries.ts";

type Props = {
  /** Null: the root. */
  parent: number | null;
  team: string | undefined;
  onMade(folder: { id: number; name: string }): void;
};

/** Makes a folder where one is chosen. The form around it is not sent. */
export function NewFolder({ parent, team, onMade }: Props) {
  const { t } = useLingui();
  const named = useNamed();
  const sentenceOf = useSentence();
  const queries = useQueryClient();
  const [isOpen, setIsOpen] = useState(false);
  const [name, setName] = useState("");
  const make = useMutation({
    mutationFn: () => createFolder(name.trim(), parent, team),
    async onSuccess(id) {
      setIsOpen(false);
      setName("");
      onMade({ id, name: name.trim() });
      await refreshFiles(queries);
    },
  });
  const isEmpty = name.trim() === "";
  if (!isOpen) {
    return (
      <Button
        size="compact-sm"
        mih={32}
        mt={4}
        variant="subtle"
        leftSection={<IconFolderPlus size={16} aria-hidden />}
        onClick={() => setIsOpen(true)}
      >
        <Trans>New folder</Trans>
      </Button>
    );
  }
  return (
    <Group gap="xs" wrap="nowrap" align="start" mt={4}>
      <TextInput
        flex={1}
        aria-label={t`New folder`}
        placeholder={t`Name`}
        autoFocus
        maxLength={255}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={make.error && sentenceOf(make.error)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          if (!isEmpty && !make.isPending) make.mutate();
        }}
      />
      <Button
        variant="light"
        aria-label={named(t`Create`, t`New folder`)}
        disabled={isEmpty}
        loading={make.isPending}
        onClick={() => make.mutate()}
      >
        <Trans>Create</Trans>
      </Button>
    </Group>
  );
}
