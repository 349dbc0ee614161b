import { Menu } from "@mantine/core";

export type RowParts = { x: number; y: number; parts: readonly HTMLElement[] };

/** What can be done with a row: its buttons and links that are seen. Null without any. */
export function partsOf(row: HTMLElement, { clientX: x, clientY: y }: MouseEvent): RowParts | null {
  const parts = [...row.querySelectorAll<HTMLElement>("[data-fit=actions] :is(a, button)")];
  const seen = parts.filter((part) => part.checkVisibility() && !part.matches(":disabled"));
  return seen.length === 0 ? null : { x, y, parts: seen };
}

type Props = { label: string; opened: RowParts; onClose(): void };

/** The buttons of a row as a menu at the pointer. */
export const RowPartsMenu = ({ label, opened: { x, y, parts }, onClose }: Props) => (
  <Menu
    opened
    onClose={onClose}
    position="bottom-start"
    offset={0}
    returnFocus={false}
    withinPortal={false}
    floatingStrategy="fixed"
  >
    <Menu.Target>
      <span style={{ position: "fixed", left: x, top: y }} aria-hidden />
    </Menu.Target>
    <Menu.Dropdown aria-label={label} aria-labelledby={undefined}>
      {parts.map((part, at) => (
        <Menu.Item
          key={at}
          onClick={() => {
            part.focus();
            part.click();
          }}
        >
          {part.textContent || part.ariaLabel}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  </Menu>
);
