import { Trans, useLingui } from "@lingui/react/macro";
import { Select, Table, Text } from "@mantine/core";
import type { ProductImport } from "../../base/api.ts";
import classes from "../csv/csv.module.css";

/** Columns of Waymark, as in its own export. */
const FIELDS = [
  "code",
  "target",
  "title",
  "tags",
  "note",
  "created_at",
  "click_count",
  "human_clicks",
  "expires_at",
  "starts_at",
  "max_clicks",
  "password",
  "domain",
  "fallback_url",
  "redirect_status",
  "forward_query",
  "forward_path",
  "rules",
  "card",
  "held",
  "click_threshold",
  "created_by",
  "owner",
  "disabled",
] as const;

type Props = {
  columns: ProductImport["columns"];
  isBusy: boolean;
  /** The whole mapping: each column of Waymark, and the one of the file, or nothing. */
  onChange(map: Record<string, string>): void;
};

/** Which column of the file is which of a link. */
export function MoveColumns({ columns, isBusy, onChange }: Props) {
  const { t } = useLingui();
  const choose = (at: number, chosen: string): void => {
    const fields = columns.map(({ field }, index) =>
      index === at ? chosen : field === chosen ? "" : (field ?? ""),
    );
    onChange(Object.fromEntries(FIELDS.map((field) => [field, columns[fields.indexOf(field)]?.name ?? ""])));
  };
  return (
    <Table.ScrollContainer minWidth={320} type="native" tabIndex={0} role="group" aria-label={t`Columns`}>
      <Table aria-label={t`Columns`} verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>
              <Trans>Column of the file</Trans>
            </Table.Th>
            <Table.Th visibleFrom="xs">
              <Trans>First rows</Trans>
            </Table.Th>
            <Table.Th w={190}>
              <Trans>Taken as</Trans>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {columns.map(({ name, field, samples }, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- names may repeat, and the order stays
            <Table.Tr key={at}>
              <Table.Td style={{ overflowWrap: "anywhere" }}>
                <bdi>{name}</bdi>
              </Table.Td>
              <Table.Td visibleFrom="xs">
                {samples.map((sample, row) => (
                  // oxlint-disable-next-line react/no-array-index-key -- values may repeat, and the order stays
                  <Text key={row} size="xs" c="dimmed" className={classes["sample"]}>
                    {field === "password" ? "•••" : sample}
                  </Text>
                ))}
              </Table.Td>
              <Table.Td>
                <Select
                  size="xs"
                  aria-label={t`${name} is taken as`}
                  value={field ?? ""}
                  readOnly={isBusy}
                  onChange={(chosen) => choose(at, chosen ?? "")}
                  data={[{ value: "", label: t`Left out` }, ...FIELDS]}
                  allowDeselect={false}
                />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
