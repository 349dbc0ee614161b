import { useLingui } from "@lingui/react/macro";
import { Button } from "@mantine/core";
import { IconBookmark } from "@tabler/icons-react";
import { FINDING_CONDITIONS, type FindingChange, type LinkFinding, readLinkSearch } from "../link-search.ts";
import { presetContentOf } from "../../presets/preset-queries.ts";
import { PresetsButton } from "../../presets/presets-button.tsx";

type Props = { finding: LinkFinding; onChange(change: FindingChange): void };

const UNSEARCHED: FindingChange = Object.fromEntries(
  [...FINDING_CONDITIONS, "sort", "order"].map((name) => [name, undefined]),
);

/** Filters and order of the list, kept under a name. */
export function LinkViews({ finding, onChange }: Props) {
  const { t } = useLingui();
  return (
    <PresetsButton
      kind="view"
      content={Object.keys(finding).length === 0 ? null : presetContentOf(finding)}
      empty={t`A view keeps filters and order under a name. Filter the list, then save it here.`}
      onChoose={({ imported, ...content }) =>
        onChange({ ...UNSEARCHED, ...readLinkSearch({ ...content, imported: Number(imported) }) })
      }
      opener={(props) => (
        <Button variant="default" px="xs" aria-label={t`Views`} title={t`Views`} {...props}>
          <IconBookmark size={16} aria-hidden />
        </Button>
      )}
    />
  );
}
