import { useLingui } from "@lingui/react/macro";
import { Input, SegmentedControl, Stack, TextInput } from "@mantine/core";
import { ItemPicker } from "./item-picker.tsx";
import { ItemsField } from "./items-field.tsx";
import type { SharedItem } from "../share-queries.ts";
import type { ShareUse, ShareValues } from "./share-values.ts";

type Props = {
  team: string | undefined;
  values: Pick<ShareValues, "use" | "target" | "item" | "items">;
  /** Of a share that exists. */
  code: string | null;
  uses: readonly ShareUse[];
  /** The item to share is given and fixed. */
  isItemFixed: boolean;
  onChange(next: Partial<ShareValues>): void;
  errors: Record<string, unknown>;
};

/** What a code leads to. */
export function UseField({ team, values, code, uses, isItemFixed, onChange, errors }: Props) {
  const { use, target, item, items } = values;
  const { t } = useLingui();
  const names = { url: t`URL`, file: t`File`, folder: t`Folder`, drop: t`Drop box`, items: t`Several items` };
  const hints = {
    url: t`The short URL redirects, and can be changed back later.`,
    file: t`Visitors see the file and download it.`,
    folder: t`Visitors see what is in the folder, and download it.`,
    items: t`Visitors see the files and folders, and download them. They stay where they are.`,
    drop: t`Visitors put files into the folder. They see only what they sent.`,
  };
  const kind: SharedItem["kind"] = use === "file" ? "file" : "folder";
  const fits = item?.kind === kind ? item : null;
  return (
    <Stack gap="sm">
      {uses.length > 1 && (
        <Input.Wrapper label={t`Leads to`} labelElement="div" description={hints[use]}>
          <SegmentedControl
            mt={6}
            fullWidth
            aria-label={t`Leads to`}
            value={use}
            onChange={(chosen) => onChange({ use: chosen as ShareUse })}
            data={uses.map((value) => ({ value, label: names[value] }))}
          />
        </Input.Wrapper>
      )}
      {use === "url" && (
        <TextInput
          label={t`Target`}
          type="url"
          placeholder="https://"
          required
          withAsterisk={false}
          value={target}
          onChange={(event) => onChange({ target: event.currentTarget.value })}
          error={errors["target"] as string | undefined}
        />
      )}
      {use === "items" && <ItemsField code={code} items={items} onChange={onChange} />}
      {use !== "url" && use !== "items" && !isItemFixed && (
        <ItemPicker
          key={kind}
          team={team}
          kind={kind}
          value={fits}
          onChange={(chosen) => onChange({ item: chosen })}
          error={(errors["item"] ?? errors["file_id"] ?? errors["folder_id"]) as string | undefined}
        />
      )}
    </Stack>
  );
}
