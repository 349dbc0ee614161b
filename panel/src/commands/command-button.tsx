import { Trans, useLingui } from "@lingui/react/macro";
import { Kbd, Loader, Modal, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { Suspense, useLayoutEffect, useRef, useState } from "react";
import type { Account } from "../base/api.ts";
import { lazyPart } from "../base/lazy.ts";
import type { usePages } from "../base/pages.ts";
import { useBackCloses } from "../ui/back-closes.ts";
import { FocusBack } from "../ui/focus-back.ts";
import { CommandField } from "./command-field.tsx";
import classes from "./commands.module.css";
import { compositionEnded } from "./composition.ts";
import { takeEarlyTyping } from "./early-typing.ts";

const CommandMenu = lazyPart(async () => {
  const { CommandMenu: Menu } = await import("./command-menu.tsx");
  await compositionEnded();
  return Menu;
});

const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.platform);

type Props = { pages: ReturnType<typeof usePages>; account: Account };

/** Opens the commands, also by ⌘K or Ctrl+K from anywhere, fields included. */
export function CommandButton({ pages, account }: Props) {
  const { t } = useLingui();
  const [isOpen, { toggle, open, close }] = useDisclosure(false, { onClose: () => setTyped("") });
  const [typed, setTyped] = useState("");
  useBackCloses(isOpen, close);
  const button = useRef<HTMLButtonElement>(null);
  useHotkeys([["mod+K", toggle]], [], true);
  useLayoutEffect(() => {
    const early = takeEarlyTyping();
    if (early === null) return;
    setTyped(early);
    open();
  }, []);
  return (
    <>
      <UnstyledButton
        ref={button}
        className={classes["button"]}
        onClick={open}
        onPointerEnter={() => void import("./command-menu.tsx")}
        aria-keyshortcuts={IS_APPLE ? "Meta+K" : "Control+K"}
      >
        <IconSearch size={16} />
        <Text span size="sm" className={classes["label"]}>
          <Trans>Find or do …</Trans>
        </Text>
        <Kbd size="xs" visibleFrom="sm">
          {IS_APPLE ? "⌘K" : "Ctrl K"}
        </Kbd>
      </UnstyledButton>
      <Modal.Root
        opened={isOpen}
        onClose={close}
        returnFocus={false}
        size="lg"
        padding={0}
        yOffset="10vh"
        transitionProps={{ duration: 0 }}
      >
        <Modal.Overlay />
        <Modal.Content aria-label={t`Commands`}>
          <FocusBack
            other={() => document.querySelector<HTMLElement>("main [role=grid]") ?? button.current}
          />
          <Suspense
            fallback={
              <>
                <CommandField typed={typed} onType={setTyped} />
                <Loader m="md" size="sm" />
              </>
            }
          >
            <CommandMenu pages={pages} account={account} typed={typed} onType={setTyped} onClose={close} />
          </Suspense>
        </Modal.Content>
      </Modal.Root>
    </>
  );
}
