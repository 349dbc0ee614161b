import { Trans, useLingui } from "@lingui/react/macro";
import { Checkbox, Radio, Stack } from "@mantine/core";
import type { ProductImport } from "../../base/api.ts";
import { formatNumber } from "../../base/i18n.ts";

export type MoveChoices = Pick<
  ProductImport["options"],
  "visits" | "on_conflict" | "disabled" | "add_domains"
>;

type Props = {
  value: MoveChoices;
  /** A table of links has no visits. */
  hasVisits: boolean;
  /** That are missing here. */
  domains: ProductImport["domains"];
  onChange(next: MoveChoices): void;
};

/** How a move is made. */
export function MoveOptions({ value, hasVisits, domains, onChange }: Props) {
  const { t } = useLingui();
  const conflicts: Record<MoveChoices["on_conflict"], { label: string; does: string }> = {
    skip: { label: t`Skip them`, does: t`Links that exist stay as they are.` },
    rename: { label: t`Give them another code`, does: t`The report lists the old and the new codes.` },
    fail: { label: t`Stop the import`, does: t`Nothing is imported then.` },
  };
  const missing = domains.map(({ host, links }) => `${host} (${formatNumber(links)})`).join(", ");
  return (
    <Stack gap="md">
      {hasVisits && (
        <Checkbox
          checked={value.visits}
          onChange={({ currentTarget }) => onChange({ ...value, visits: currentTarget.checked })}
          label={t`Import visits with their dates`}
          description={t`If the source has them. Otherwise each link keeps its click count only.`}
        />
      )}
      <Checkbox
        checked={value.disabled}
        onChange={({ currentTarget }) => onChange({ ...value, disabled: currentTarget.checked })}
        label={t`Import links as disabled`}
        description={t`They wait for approval, and don't redirect until then.`}
      />
      {domains.length > 0 && (
        <Checkbox
          checked={value.add_domains}
          onChange={({ currentTarget }) => onChange({ ...value, add_domains: currentTarget.checked })}
          label={t`Add the domains that are missing here`}
          description={
            <Trans>
              {missing}. Otherwise their links are left out. A domain works once its DNS points here.
            </Trans>
          }
        />
      )}
      <Radio.Group
        label={<Trans>Codes that exist already</Trans>}
        value={value.on_conflict}
        onChange={(chosen) => onChange({ ...value, on_conflict: chosen as MoveChoices["on_conflict"] })}
      >
        <Stack gap="xs" pt={6}>
          {Object.entries(conflicts).map(([name, { label, does }]) => (
            <Radio key={name} value={name} label={label} description={does} />
          ))}
        </Stack>
      </Radio.Group>
    </Stack>
  );
}
