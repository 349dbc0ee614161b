import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { formatDate } from "../../base/i18n.ts";
import { FINDING_CONDITIONS, type FindingChange, isFiltered, type LinkFinding } from "../link-search.ts";
import { useSafetyNames } from "../safety-names.ts";

type Props = { finding: LinkFinding; onChange(change: FindingChange): void };

const UNFILTERED: FindingChange = Object.fromEntries(
  FINDING_CONDITIONS.filter((name) => name !== "q").map((name) => [name, undefined]),
);

/** The current filters; pressing one removes it. */
export function FilterChips({ finding, onChange }: Props) {
  const { t } = useLingui();
  const { q: _, ...conditions } = finding;
  const { state, safety, tag = [], domain, owner, from, to } = conditions;
  const { notTag = [], notOwner, target, notTarget, imported } = conditions;
  const safetyNames = useSafetyNames();
  if (!isFiltered(conditions)) return null;
  const dayOf = (day: string) => formatDate(`${day}T12:00:00`);
  const chips: [label: string, change: FindingChange][] = [];
  if (state !== undefined) {
    chips.push([state === "active" ? t`Active` : t`Expired`, { state: undefined }]);
  }
  if (safety !== undefined) chips.push([safetyNames[safety], { safety: undefined }]);
  for (const name of tag) {
    const left = tag.filter((other) => other !== name);
    chips.push([t`Tag: ${name}`, { tag: left.length === 0 ? undefined : left }]);
  }
  for (const name of notTag) {
    const left = notTag.filter((other) => other !== name);
    chips.push([t`Tag is not ${name}`, { notTag: left.length === 0 ? undefined : left }]);
  }
  if (imported !== undefined) chips.push([t`Import ${imported}`, { imported: undefined }]);
  if (target !== undefined) chips.push([t`Target contains “${target}”`, { target: undefined }]);
  if (notTarget !== undefined) {
    chips.push([t`Target does not contain “${notTarget}”`, { notTarget: undefined }]);
  }
  if (domain !== undefined) chips.push([domain || t`The default domain`, { domain: undefined }]);
  if (owner !== undefined) chips.push([t`Owner: ${owner}`, { owner: undefined }]);
  if (notOwner !== undefined) chips.push([t`Owner is not ${notOwner}`, { notOwner: undefined }]);
  if (from !== undefined) chips.push([t`From ${dayOf(from)}`, { from: undefined }]);
  if (to !== undefined) chips.push([t`Until ${dayOf(to)}`, { to: undefined }]);
  return (
    <Group px="md" pb="sm" gap={6}>
      {chips.map(([label, change]) => (
        <Button
          key={label}
          size="compact-sm"
          variant="light"
          maw="100%"
          rightSection={<IconX size={12} aria-hidden />}
          aria-label={t`Remove the filter ${label}`}
          onClick={() => onChange(change)}
        >
          {label}
        </Button>
      ))}
      {chips.length > 1 && (
        <Button size="compact-sm" variant="subtle" color="gray" onClick={() => onChange(UNFILTERED)}>
          <Trans>Clear all</Trans>
        </Button>
      )}
    </Group>
  );
}
