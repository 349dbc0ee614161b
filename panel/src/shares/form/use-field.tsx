import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Input, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useIsPhone } from "../../ui/is-phone.ts";
import { FilesPicker } from "./files-picker.tsx";
import { ItemPicker } from "./item-picker.tsx";
import { ItemsField } from "./items-field.tsx";
import type { SharedItem } from "../share-search.ts";
import { chosenItems, type ShareUse, type ShareValues } from "./share-values.ts";

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
  /** The place for files of this device. */
  upload: ReactNode;
};

/** As many uses stand beside each other on a phone. */
const MOST_BESIDE = 3;
const TWO_BY_TWO = { display: "grid", gridTemplateColumns: "1fr 1fr" };

/** What a code leads to. */
export function UseField({ team, values, code, uses, isItemFixed, onChange, errors, upload }: Props) {
  const { use, target, item, items } = values;
  const { t } = useLingui();
  const isPhone = useIsPhone();
  const takesSeveral = uses.includes("upload");
  const kind: SharedItem["kind"] = use === "file" ? "file" : "folder";
  const fits = item?.kind === kind ? item : null;
  const [isPlaced, setIsPlaced] = useState(code !== null || fits !== null);
  const picksOne =
    use === "folder" || (use === "file" && !takesSeveral) || (use === "drop" && (isPlaced || fits !== null));
  const names = {
    upload: t`Upload`,
    url: t`URL`,
    file: takesSeveral ? t`Files` : t`File`,
    folder: t`Folder`,
    drop: t`Drop box`,
    items: t`Several items`,
  };
  const hints = {
    upload: t`Visitors see the files and download them. The files are stored in a folder of yours.`,
    url: t`The short URL redirects, and can be changed back later.`,
    file: takesSeveral
      ? t`Visitors see the files and download them. The files stay where they are.`
      : t`Visitors see the file and download it.`,
    folder: t`Visitors see what is in the folder, and download it.`,
    items: t`Visitors see the files and folders, and download them. The files stay where they are.`,
    drop: t`Visitors put files into the folder. They see only what they sent.`,
  };
  return (
    <Stack gap="sm">
      {uses.length > 1 && (
        <Input.Wrapper
          label={t`What to share`}
          labelElement="div"
          description={hints[use]}
          // Below the choices and as high for each, so that nothing moves under a finger.
          inputWrapperOrder={["label", "input", "description"]}
          descriptionProps={{ mt: 6, mih: "2lh" }}
        >
          <SegmentedControl
            fullWidth
            withItemsBorders={!isPhone}
            {...(isPhone && {
              styles: { root: uses.length > MOST_BESIDE ? TWO_BY_TWO : {}, label: { lineHeight: "30px" } },
            })}
            aria-label={t`What to share`}
            value={use}
            // What is uploaded is not one of the files to choose from.
            onChange={(chosen) =>
              onChange({
                use: chosen as ShareUse,
                ...((use === "upload" || chosen === "upload") && { item: null }),
                ...(takesSeveral && { items: null }),
              })
            }
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
      {use === "upload" && upload}
      {use === "file" && takesSeveral && (
        <FilesPicker
          team={team}
          chosen={chosenItems({ item: fits, items })}
          onChange={(files) => onChange({ item: null, items: files })}
          error={errors["item"] as string | undefined}
        />
      )}
      {use === "drop" && !isPlaced && fits === null && (
        <Group gap="xs">
          <Text size="sm" c="dimmed">
            <Trans>A new folder takes them.</Trans>
          </Text>
          <Button size="compact-sm" variant="subtle" onClick={() => setIsPlaced(true)}>
            <Trans>Choose a folder instead</Trans>
          </Button>
        </Group>
      )}
      {picksOne && !isItemFixed && (
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
