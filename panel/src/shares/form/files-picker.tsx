import { useLingui } from "@lingui/react/macro";
import { Input } from "@mantine/core";
import type { SharedItem } from "../share-search.ts";
import { Choices } from "./item-picker.tsx";
import { ItemsField } from "./items-field.tsx";

type Props = {
  /** In whose tree; undefined: the account's own. */
  team: string | undefined;
  chosen: readonly SharedItem[];
  onChange(files: readonly SharedItem[]): void;
  error?: string | undefined;
};

/** Chooses one file or more, in any folders. What is chosen stands below, where it moves nothing that is pressed. */
export function FilesPicker({ team, chosen, onChange, error }: Props) {
  const { t } = useLingui();
  return (
    <Input.Wrapper label={t`Files`} labelElement="div" error={error} errorProps={{ role: "alert" }}>
      <Choices
        team={team}
        kind="file"
        chosen={chosen}
        isWrong={error !== undefined}
        onChoose={(file) => {
          const others = chosen.filter(({ id }) => id !== file.id);
          onChange(others.length < chosen.length ? others : [...chosen, file]);
        }}
      />
      {chosen.length > 0 && (
        <ItemsField code={null} items={chosen} canBeEmpty onChange={({ items }) => onChange(items ?? [])} />
      )}
    </Input.Wrapper>
  );
}
