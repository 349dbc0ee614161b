import { Button, Menu } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { type ReactNode, useRef } from "react";
import { isFocusLost } from "../../ui/focus-back.ts";
import { useConditionTexts } from "../form/condition-texts.ts";
import type { ConditionName } from "../form/condition-value.ts";
import { CONDITION_ICONS } from "./choices.tsx";

type Props = {
  label: ReactNode;
  names: readonly ConditionName[];
  onChoose(name: ConditionName): void;
};

/** Kinds of conditions. */
export function ConditionMenu({ label, names, onChoose }: Props) {
  const texts = useConditionTexts();
  const opener = useRef<HTMLButtonElement>(null);
  return (
    <Menu
      position="bottom-start"
      withinPortal={false}
      // A chosen condition has the focus in its field.
      returnFocus={false}
      onExitTransitionEnd={() => {
        if (isFocusLost()) opener.current?.focus();
      }}
    >
      <Menu.Target>
        <Button
          ref={opener}
          variant="subtle"
          color="gray"
          size="compact-sm"
          ms={-8}
          style={{ alignSelf: "start" }}
          leftSection={<IconPlus size={14} />}
          disabled={names.length === 0}
        >
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {names.map((name) => {
          const Icon = CONDITION_ICONS[name];
          return (
            <Menu.Item key={name} leftSection={<Icon size={16} />} onClick={() => onChoose(name)}>
              {texts[name]}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
