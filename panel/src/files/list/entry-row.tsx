import { useLingui } from "@lingui/react/macro";
import { Checkbox, Group, Text } from "@mantine/core";
import type { DragEvent, MouseEvent } from "react";
import { formatBytes, formatDate, formatTime } from "../../base/i18n.ts";
import { dateOf, type Entry, isFixed, nameDraftOf } from "../file-queries.ts";
import { openRowMenu } from "../../ui/lists/row-clicks.ts";
import { type DropHandlers, startDrag, useDropInto } from "../moves/dragged.ts";
import type { ShareMark } from "../../base/api.ts";
import { ShareBadge } from "../shared/share-badge.tsx";
import { EntryMenu, type EntryCommands } from "./entry-menu.tsx";
import { EntryName } from "./entry-name.tsx";
import { EntryPath } from "./entry-path.tsx";
import classes from "./files.module.css";
import { RenameField } from "./rename-field.tsx";
import type { Reach } from "./selection.ts";
import { Thumbnail } from "./thumbnail.tsx";

export type RowState = { isSelected: boolean; isActive: boolean; isGoing: boolean; isRenamed: boolean };
type Props = {
  entry: Entry;
  id: string;
  at: number;
  /** Null: a tile of a grid, which places it. */
  place: { start: number; size: number } | null;
  state: RowState;
  /** Absent: it is not shared by itself. */
  mark: ShareMark | undefined;
  commands: EntryCommands;
  onReach(how: Reach): void;
  /** Null cancels. */
  onRename(name: string | null): void;
  /** The entries to drag with the row. */
  dragged(): readonly Entry[];
  onDrop: DropHandlers | null;
};

const NO_DROP: DropHandlers = { onEntries() {} };

export function EntryRow(props: Props) {
  const { entry, id, at, place, state, mark, commands, onReach, onDrop } = props;
  const { t } = useLingui();
  const { isOver, handlers } = useDropInto({ id: entry.id, above: entry.path }, onDrop ?? NO_DROP);
  const tabIndex = state.isActive ? 0 : -1;
  const isTile = place === null;
  const cell = isTile ? undefined : "gridcell";
  const size = entry.size === null ? "" : formatBytes(entry.size);

  function click(event: MouseEvent): void {
    const isTouch = (event.nativeEvent as PointerEvent).pointerType === "touch";
    if (event.shiftKey) onReach("range");
    else if (event.ctrlKey || event.metaKey) onReach("toggle");
    else if (isTouch) commands.open(entry);
    else onReach("only");
  }

  return (
    <div
      role={isTile ? "gridcell" : "row"}
      id={id}
      {...(!isTile && { "aria-rowindex": at + 2, "aria-labelledby": `${id}-name ${id}-size ${id}-date` })}
      aria-selected={state.isSelected}
      className={isTile ? `${classes["row"]} ${classes["tile"]}` : classes["row"]}
      aria-busy={state.isGoing || undefined}
      data-active={state.isActive || undefined}
      data-over={(isOver && onDrop !== null) || undefined}
      {...(!isTile && { style: { height: place.size, transform: `translateY(${place.start}px)` } })}
      draggable={!state.isRenamed && commands.change !== undefined && !isFixed(entry)}
      onDragStart={(event: DragEvent) => startDrag(event, props.dragged())}
      onClick={click}
      onDoubleClick={() => commands.open(entry)}
      onContextMenu={(event) => {
        if (state.isRenamed || !openRowMenu(event.currentTarget, event)) return;
        event.preventDefault();
        if (!state.isSelected) onReach("only");
      }}
      {...(entry.kind === "folder" && onDrop !== null && handlers)}
    >
      <div
        role={cell}
        className={classes["check"]}
        onClick={(event) => {
          event.stopPropagation();
          onReach(event.shiftKey ? "range" : "toggle");
        }}
        onDoubleClick={(event) => event.stopPropagation()}
      >
        <Checkbox
          size="xs"
          tabIndex={tabIndex}
          checked={state.isSelected}
          onChange={() => {}}
          aria-label={t`Select ${entry.name}`}
        />
      </div>
      <div {...(!isTile && { role: "rowheader", id: `${id}-name` })} className={classes["name"]}>
        <Thumbnail entry={entry} size={isTile ? 48 : 20} />
        {state.isRenamed ? (
          <RenameField
            name={entry.name}
            draft={nameDraftOf(entry)}
            isFolder={entry.kind === "folder"}
            onSave={props.onRename}
            onCancel={() => props.onRename(null)}
          />
        ) : (
          <div className={classes["texts"]}>
            <Group gap={6} wrap="nowrap">
              <EntryName entry={entry} tabIndex={tabIndex} />
              {mark !== undefined && <ShareBadge name={entry.name} mark={mark} tabIndex={tabIndex} />}
            </Group>
            {entry.path === undefined ? (
              <Text size="xs" c="dimmed" {...(!isTile && { hiddenFrom: "sm" })} className={classes["cut"]}>
                {[size, formatDate(dateOf(entry))].filter((part) => part !== "").join(" · ")}
              </Text>
            ) : (
              <EntryPath path={entry.path} tabIndex={tabIndex} />
            )}
          </div>
        )}
      </div>
      {!isTile && (
        <>
          <Text role="gridcell" id={`${id}-size`} size="sm" c="dimmed" className={classes["size"]}>
            {size}
          </Text>
          <Text
            role="gridcell"
            id={`${id}-date`}
            size="sm"
            c="dimmed"
            className={classes["date"]}
            title={formatTime(dateOf(entry))}
          >
            {formatDate(dateOf(entry))}
          </Text>
        </>
      )}
      <Group
        role={cell}
        className={classes["actions"]}
        justify="end"
        onClick={(event) => event.stopPropagation()}
        onDoubleClick={(event) => event.stopPropagation()}
      >
        <EntryMenu entry={entry} commands={commands} tabIndex={tabIndex} />
      </Group>
    </div>
  );
}
