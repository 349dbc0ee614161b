import { AnchorLink } from "../../ui/anchor-link.tsx";
import type { Entry } from "../file-queries.ts";
import { inTree } from "../../ui/tree-names.ts";
import classes from "./files.module.css";

/** Opens the entry. Its clicks are not those of the row. */
export function EntryName({ entry, tabIndex }: { entry: Entry; tabIndex: number }) {
  const shared = {
    size: "sm" as const,
    c: "inherit",
    tabIndex,
    title: entry.name,
    draggable: false,
    className: classes["cut"],
    onClick: (event: { stopPropagation(): void }) => event.stopPropagation(),
    onDoubleClick: (event: { stopPropagation(): void }) => event.stopPropagation(),
  };
  const name = <bdi>{entry.name}</bdi>;
  if (entry.kind === "file") {
    return (
      <AnchorLink
        {...shared}
        fw={500}
        from="/files"
        to="/files"
        search={(now) => ({ ...now, file: entry.id })}
      >
        {name}
      </AnchorLink>
    );
  }
  return (
    <AnchorLink
      {...shared}
      fw={600}
      from="/files"
      to="/files"
      search={({ team, sort, order }) => ({
        ...inTree(team),
        folder: entry.id,
        ...(sort && { sort }),
        ...(order && { order }),
      })}
    >
      {name}
    </AnchorLink>
  );
}
