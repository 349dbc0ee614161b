import { useLingui } from "@lingui/react/macro";
import { ActionIcon } from "@mantine/core";
import { IconUser } from "@tabler/icons-react";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { lazyPart, soonPart } from "../base/lazy.ts";
import { usePageRequest } from "../ui/dialogs/page-request.ts";
import { LazyDialog } from "../ui/dialogs/lazy-dialog.tsx";
import { MenuButton } from "../ui/menus/menu-button.tsx";
import { accountQuery } from "./account.ts";
import { useSignOut } from "./use-sign-out.ts";

const AccountItems = soonPart(async () => (await import("./account-items.tsx")).AccountItems);
const AppDialog = lazyPart(async () => (await import("./app-dialog.tsx")).AppDialog);
const PasswordChange = lazyPart(async () => (await import("./password-form.tsx")).PasswordChange);

export function AccountMenu() {
  const { t } = useLingui();
  const { data: account } = useSuspenseQuery(accountQuery);
  const name = account.display_name ?? account.username;
  const signOut = useSignOut();
  const [changing, setChanging] = useState<"open" | "closed" | null>(null);
  const [app, setApp] = useState<"open" | "closed" | null>(null);
  usePageRequest("change-password", () => setChanging("open"));

  return (
    <>
      <MenuButton
        label={t`Account menu of ${name}`}
        width={220}
        button={
          <ActionIcon
            variant="light"
            color="gray"
            radius="xl"
            size={32}
            aria-label={t`Account menu of ${name}`}
          >
            <IconUser size={18} />
          </ActionIcon>
        }
      >
        <AccountItems
          name={name}
          onApp={() => setApp("open")}
          onPassword={() => setChanging("open")}
          onSignOut={signOut.mutate}
        />
      </MenuButton>
      {app !== null && (
        <LazyDialog isOpen={app === "open"} onClose={() => setApp("closed")}>
          <AppDialog
            isOpen={app === "open"}
            mayLink={account.role !== "user"}
            onClose={() => setApp("closed")}
          />
        </LazyDialog>
      )}
      {changing !== null && (
        <LazyDialog isOpen={changing === "open"} onClose={() => setChanging("closed")}>
          <PasswordChange
            username={account.username}
            isOpen={changing === "open"}
            onClose={() => setChanging("closed")}
          />
        </LazyDialog>
      )}
    </>
  );
}
