import { Trans, useLingui } from "@lingui/react/macro";
import { Select, Table, Text } from "@mantine/core";
import classes from "./csv.module.css";
import { COLUMNS, type CsvColumn } from "./csv-source.ts";
import { chooseColumn, useImport } from "./import-state.ts";

const MOST_SHOWN = 60;

/** Which columns of the file are imported, and as what. */
export function ImportColumns() {
  const { t } = useLingui();
  const { source, columns } = useImport();
  if (source === null) return null;
  return (
    <Table.ScrollContainer minWidth={320} type="native" tabIndex={0} role="group" aria-label={t`Columns`}>
      <Table aria-label={t`Columns`} verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>
              <Trans>Column of the file</Trans>
            </Table.Th>
            <Table.Th visibleFrom="xs">
              <Trans>First row</Trans>
            </Table.Th>
            <Table.Th w={190}>
              <Trans>Taken as</Trans>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {source.header.slice(0, MOST_SHOWN).map((name, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- names may repeat, and the order stays
            <Table.Tr key={at}>
              <Table.Td style={{ overflowWrap: "anywhere" }}>{name}</Table.Td>
              <Table.Td visibleFrom="xs">
                <Text size="sm" c="dimmed" className={classes["sample"]}>
                  {columns[at] === "password" ? "•••" : source.sample[at]}
                </Text>
              </Table.Td>
              <Table.Td>
                <Select
                  size="xs"
                  aria-label={t`${name} is taken as`}
                  value={columns[at] ?? ""}
                  onChange={(column) => chooseColumn(at, (column ?? "") as CsvColumn | "")}
                  data={[{ value: "", label: t`Left out` }, ...COLUMNS]}
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
