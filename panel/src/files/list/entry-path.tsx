import { Trans } from "@lingui/react/macro";
import { AnchorLink } from "../../ui/anchor-link.tsx";
import type { Step } from "../file-queries.ts";
import { inTree } from "../../ui/tree-names.ts";
import classes from "./files.module.css";

/** Where an entry lies: a link to that folder. */
export function EntryPath({ path, tabIndex }: { path: readonly Step[]; tabIndex: number }) {
  const folder = path.at(-1)?.id;
  return (
    <AnchorLink
      from="/files"
      to="/files"
      search={({ team }) => ({ ...inTree(team), ...(folder !== undefined && { folder }) })}
      size="xs"
      c="dimmed"
      tabIndex={tabIndex}
      draggable={false}
      className={classes["cut"]}
      title={path.map(({ name }) => name).join(" / ")}
      onClick={(event) => event.stopPropagation()}
    >
      {path.length === 0 ? (
        <Trans>All files</Trans>
      ) : (
        path.map(({ id, name }, at) => (
          <span key={id}>
            {at > 0 && " / "}
            <bdi>{name}</bdi>
          </span>
        ))
      )}
    </AnchorLink>
  );
}
