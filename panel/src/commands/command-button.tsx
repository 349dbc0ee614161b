import { Trans, useLingui } from "@lingui/react/macro";
import { Kbd, Loader, Modal, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { Suspense, useRef } from "react";
import type { Account } from "../app/api.ts";
import { lazyPart } from "../app/lazy.ts";
import type { usePages } from "../app/pages.ts";
import { FocusBack } from "../ui/focus-back.ts";
import classes from "./commands.module.css";

const CommandMenu = lazyPart(async () => (await import("./command-menu.tsx")).CommandMenu);

const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.platform);

type Props = { pages: ReturnType<typeof usePages>; account: Account };

/** Opens the commands, also by ⌘K or Ctrl+K from anywhere, fields included. */
export function CommandButton({ pages, account }: Props) {
  const { t } = useLingui();
  const [isOpen, { toggle, open, close }] = useDisclosure();
  const button = useRef<HTMLButtonElement>(null);
  useHotkeys([["mod+K", toggle]], [], true);
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
          <Suspense fallback={<Loader m="md" size="sm" />}>
            <CommandMenu pages={pages} account={account} onClose={close} />
          </Suspense>
        </Modal.Content>
      </Modal.Root>
    </>
  );
}
