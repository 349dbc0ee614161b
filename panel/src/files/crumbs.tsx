import { Trans, useLingui } from "@lingui/react/macro";
import { IconChevronRight } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { AnchorLink } from "../ui/anchor-link.tsx";
import type { Entry, Step } from "./file-queries.ts";
import classes from "./list/files.module.css";
import { useDropInto } from "./moves/dragged.ts";
import { inTree } from "../ui/tree-names.ts";

type Props = {
  path: readonly Step[];
  /** Whose tree. */
  team: string | undefined;
  onMove(entries: readonly Entry[], folder: number | null, name: string): void;
};

/** The path of the folder. Entries can be dropped on each step. */
export function Crumbs({ path, team, onMove }: Props) {
  const { t } = useLingui();
  // The heading shows it.
  if (path.length === 0) return null;
  return (
    <nav
      aria-label={t`Folder`}
      ref={(nav) => nav?.firstElementChild?.scrollTo({ left: nav.firstElementChild.scrollWidth })}
      style={{ display: "flex", flex: "1 1 14rem", minWidth: 0 }}
    >
      <ol className={classes["crumbs"]} tabIndex={-1}>
        <Crumb id={null} team={team} isLast={false} onMove={(moved) => onMove(moved, null, t`All files`)}>
          <Trans>All files</Trans>
        </Crumb>
        {path.map(({ id, name }, at) => (
          <Crumb
            key={id}
            id={id}
            team={team}
            isLast={at === path.length - 1}
            onMove={(moved) => onMove(moved, id, name)}
          >
            <bdi>{name}</bdi>
          </Crumb>
        ))}
      </ol>
    </nav>
  );
}

type CrumbProps = {
  id: number | null;
  team: string | undefined;
  isLast: boolean;
  onMove(entries: readonly Entry[]): void;
  children: ReactNode;
};

function Crumb({ id, team, isLast, onMove, children }: CrumbProps) {
  const { isOver, handlers } = useDropInto({ id }, { onEntries: onMove });
  return (
    <li {...handlers}>
      {id !== null && <IconChevronRight size={14} aria-hidden style={{ flexShrink: 0 }} />}
      <AnchorLink
        from="/files"
        to="/files"
        search={(now) => ({
          ...inTree(team),
          ...(id !== null && { folder: id }),
          ...(now.sort && { sort: now.sort }),
          ...(now.order && { order: now.order }),
        })}
        size="sm"
        fw={isLast ? 600 : 400}
        c="inherit"
        className={`${classes["crumb"]} ${classes["cut"]}`}
        data-over={isOver || undefined}
        {...(isLast && { "aria-current": "page" as const })}
      >
        {children}
      </AnchorLink>
    </li>
  );
}
