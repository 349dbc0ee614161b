import { useLingui } from "@lingui/react/macro";
import { useQueryClient } from "@tanstack/react-query";
import type { Team } from "../../base/api.ts";
import { RemoveOwner } from "./remove-owner.tsx";
import { ownerOfTree } from "../../ui/tree-names.ts";
import { removeTeam } from "./team-queries.ts";

export function RemoveTeam({ team, onClose }: { team: Team; onClose(): void }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  return (
    <RemoveOwner
      title={t`Delete the team ${team.name}?`}
      except={ownerOfTree(team.name)}
      remove={(owner) => removeTeam(team, owner)}
      refresh={() => queries.invalidateQueries({ queryKey: ["teams"] })}
      onClose={onClose}
    />
  );
}
