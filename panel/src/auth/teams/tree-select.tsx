import { useLingui } from "@lingui/react/macro";
import { Select, type SelectProps } from "@mantine/core";
import { ownerOfTree, teamOf } from "../../ui/tree-names.ts";
import { useTrees } from "./trees.ts";

const OWN = "own";

type Props = Pick<SelectProps, "mr" | "flex"> & {
  /** Undefined: the account's own. */
  team: string | undefined;
  /** The text for the account's own. */
  own: string;
  /** Only trees that the account may change. */
  isForChanges?: boolean;
  onChange(team: string | undefined): void;
};

/** Chooses whose files. Nothing for accounts that are in no team. */
export function TreeSelect({ team, own, isForChanges = false, onChange, ...place }: Props) {
  const { t } = useLingui();
  const { teams: all, mayChange } = useTrees();
  const teams = all.filter((name) => !isForChanges || mayChange(name));
  if (teams.length === 0) return null;
  return (
    <Select
      aria-label={t`Owner`}
      w="12rem"
      flex={{ base: "1 1 9rem", sm: "none" }}
      {...place}
      allowDeselect={false}
      searchable={teams.length > 10}
      value={team === undefined ? OWN : ownerOfTree(team)}
      onChange={(owner) => onChange(teamOf(owner ?? OWN))}
      data={[
        { value: OWN, label: own },
        ...teams.map((name) => ({ value: ownerOfTree(name), label: t`Team ${name}` })),
      ]}
    />
  );
}
