import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, List, Skeleton, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { LinkedFolder, Policy } from "../../base/api.ts";
import { formatTime } from "../../base/i18n.ts";
import { TreeSelect } from "../../auth/teams/tree-select.tsx";
import { useTrees } from "../../auth/teams/trees.ts";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import { FailureAlert } from "../../ui/failure-alert.tsx";
import { FormFields, SideForm } from "../../ui/forms/side-form.tsx";
import { useLateResponse } from "../../ui/notices/late-answer.ts";
import { refreshFiles } from "../file-queries.ts";
import { linkedFoldersQuery, refreshPolicies, showFolder } from "./policy-queries.ts";

/** Where a folder of the server is shown. */
export function LinkedPlaces({ policy }: { policy: Policy }) {
  const { t } = useLingui();
  const [isAsking, setIsAsking] = useState(false);
  const { data, error } = useQuery(linkedFoldersQuery(policy));
  return (
    <>
      {error !== null && data === undefined && <FailureAlert error={error} />}
      {data === undefined && error === null && <Skeleton height={22} />}
      {data?.length === 0 && (
        <Text size="sm">
          <Trans>It is not shown anywhere yet.</Trans>
        </Text>
      )}
      {data !== undefined && data.length > 0 && (
        <List size="sm" style={{ overflowWrap: "anywhere" }}>
          {data.map((place) => (
            <Place key={place.folder_id} place={place} />
          ))}
        </List>
      )}
      <Group>
        <Button size="compact-sm" variant="default" onClick={() => setIsAsking(true)}>
          <Trans>Show in Files…</Trans>
        </Button>
      </Group>
      <SideForm title={t`Show ${policy.name} in Files`} isOpen={isAsking} onClose={() => setIsAsking(false)}>
        <ShowForm policy={policy} onClose={() => setIsAsking(false)} />
      </SideForm>
    </>
  );
}

const Place = ({ place }: { place: LinkedFolder }) => (
  <List.Item>
    <AnchorLink to="/files" search={{ folder: place.folder_id }}>
      {place.name}
    </AnchorLink>{" "}
    ({place.owner}){" · "}
    {place.scanned_at === null ? (
      <Trans>The first scan is still running.</Trans>
    ) : (
      <Trans>
        <Plural value={place.files} one="# file" other="# files" />, scanned {formatTime(place.scanned_at)}
      </Trans>
    )}
    {place.trouble !== null && (
      <Text size="sm" c="red" lang="en">
        {place.trouble}
      </Text>
    )}
  </List.Item>
);

function ShowForm({ policy, onClose }: { policy: Policy; onClose(): void }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const { ownerOf } = useTrees();
  const { close, tellIfGone } = useLateResponse(onClose);
  const [name, setName] = useState(policy.base_path.split("/").at(-1) ?? "");
  const [team, setTeam] = useState<string | undefined>();
  const save = useMutation({
    mutationFn: () => showFolder(policy, name, ownerOf(team)),
    async onSuccess() {
      close();
      await refreshPolicies(queries);
      await refreshFiles(queries);
    },
    onError: tellIfGone,
  });
  return (
    <FormFields
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
      onClose={onClose}
      error={save.error}
      isPending={save.isPending}
      action={t`Show`}
    >
      <Text size="sm" c="dimmed">
        <Trans>A new folder in Files will show what is in {policy.base_path}. You can move it later.</Trans>
      </Text>
      <TextInput
        label={t`Name`}
        required
        withAsterisk={false}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        data-autofocus
      />
      <TreeSelect team={team} own={t`My files`} isForChanges flex="0 0 auto" onChange={setTeam} />
    </FormFields>
  );
}
