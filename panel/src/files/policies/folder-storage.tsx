import { Trans, useLingui } from "@lingui/react/macro";
import { Radio, Skeleton, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { Policy } from "../../base/api.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { useLateResponse } from "../../ui/notices/late-answer.ts";
import { LoadFailure } from "../../ui/load-failure.tsx";
import { FormFields } from "../../ui/forms/side-form.tsx";
import { useUndoOffer } from "../../ui/notices/undo.tsx";
import { type Entry, refreshFiles } from "../file-queries.ts";
import { type FolderStorage, folderStorageQuery, storeFolder } from "./folder-storage-query.ts";
import classes from "./policies.module.css";
import { policiesQuery, refreshPolicies } from "./policy-queries.ts";
import { PolicyPlace } from "./policy-place.tsx";

const storesFiles = ({ driver_type: driver }: Policy): boolean => driver !== "linked";

/** The value of the choice that names no storage. */
const INHERITED = "";

type Props = { folder: Pick<Entry, "id" | "name" | "folder_id">; onClose(): void };

/** Which storage takes the uploads of a folder. Only for accounts that may list the storages. */
export function FolderStorageForm({ folder, onClose }: Props) {
  const policies = useQuery(policiesQuery);
  // What somebody else has set since counts, not what was seen before.
  const storage = useQuery({ ...folderStorageQuery(folder.id), gcTime: 0 });
  const error = policies.error ?? storage.error;
  if (policies.data !== undefined && storage.data !== undefined) {
    return <Choice folder={folder} onClose={onClose} policies={policies.data} storage={storage.data} />;
  }
  if (error === null) {
    return <Skeleton height={280} tabIndex={-1} data-autofocus style={{ outline: "none" }} />;
  }
  return (
    <LoadFailure
      error={error}
      onRetry={() => {
        void policies.refetch();
        void storage.refetch();
      }}
    />
  );
}

type ChoiceProps = Props & { policies: readonly Policy[]; storage: FolderStorage };

function Choice({ folder, onClose, policies, storage: { own, above } }: ChoiceProps) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const offerUndo = useUndoOffer();
  const { close, tellIfGone } = useLateResponse(onClose);
  const [chosen, setChosen] = useState(own);
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>("input:checked")?.focus(), []);
  const nameOf = (id: number | null): string =>
    policies.find((policy) => (id === null ? policy.is_default : policy.id === id))?.name ?? "";
  const refresh = async (): Promise<void> => {
    await refreshFiles(queries);
    // What a storage holds says which folders name it.
    await refreshPolicies(queries);
  };
  const save = useMutation({
    mutationFn: () => storeFolder(folder.id, chosen),
    async onSuccess() {
      close();
      const storage = nameOf(chosen ?? above?.policy ?? null);
      offerUndo({
        message: (
          <Trans>
            New files of <bdi>{folder.name}</bdi> go to <bdi>{storage}</bdi> now.
          </Trans>
        ),
        undo: () => storeFolder(folder.id, own),
        refresh,
      });
      await refresh();
    },
    async onError(error) {
      tellIfGone(error);
      // The chosen one may have been deleted.
      await queries.invalidateQueries({ queryKey: policiesQuery.queryKey });
    },
  });
  return (
    <FormFields
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen === own) close();
        else save.mutate();
      }}
      onClose={onClose}
      error={save.error}
      isPending={save.isPending}
      action={t`Save`}
    >
      <Text size="sm" c="dimmed">
        <Trans>
          Files that are uploaded from now on are stored here, also in folders inside that name no storage of
          their own. Files that exist stay where they are.
        </Trans>
      </Text>
      <Radio.Group
        ref={form}
        label={t`Storage of new files`}
        value={chosen === null ? INHERITED : String(chosen)}
        onChange={(value) => setChosen(value === INHERITED ? null : Number(value))}
      >
        <Stack gap="sm" pt={6} className={classes["text"] ?? ""}>
          <Radio
            value={INHERITED}
            label={folder.folder_id === null ? t`The default` : t`As the folder above`}
            description={
              above === null ? (
                <Trans>
                  Now the default, <bdi>{nameOf(null)}</bdi>.
                </Trans>
              ) : (
                <Trans>
                  Now <bdi>{nameOf(above.policy)}</bdi>, as set for <bdi>{above.from.name}</bdi>.
                </Trans>
              )
            }
          />
          {policies.filter(storesFiles).map((policy) => (
            <Radio
              key={policy.id}
              value={String(policy.id)}
              label={<bdi>{policy.name}</bdi>}
              description={<PolicyPlace policy={policy} />}
            />
          ))}
        </Stack>
      </Radio.Group>
      <AnchorLink to="/policies" size="sm">
        <Trans>All storages</Trans>
      </AnchorLink>
    </FormFields>
  );
}
