import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconFileImport, IconShare, type TablerIcon, IconUserPlus } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { hasRoom } from "../base/place.ts";
import { hasTargets, targetIn } from "../base/targets.ts";
import { AnchorLink } from "../ui/anchor-link.tsx";
import { useShorten } from "../ui/copy/shorten.ts";
import classes from "./clicks.module.css";

/** In the place of figures before there are any: the first link, and other ways to begin. */
export function FirstRun({ isAdmin }: { isAdmin: boolean }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const shorten = useShorten();
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);

  async function make(text: string): Promise<void> {
    const whole = /^\w+:/.test(text.trim()) ? text : `https://${text.trim()}`;
    const target = targetIn(whole);
    if (target === null) return setProblem(t`Enter a URL such as https://example.com/page.`);
    setIsBusy(true);
    await shorten(target);
    setIsBusy(false);
  }

  return (
    <Stack className={classes["first"]!} gap="xl">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy) void make(typed);
        }}
      >
        <Text component="h2" size="xl" fw={700} ta="center" mb="xs">
          <Trans>Create your first short link</Trans>
        </Text>
        <Text c="dimmed" ta="center" mb="lg">
          <Trans>Paste a long URL, and its short one is copied. Its clicks will show here.</Trans>
        </Text>
        <Group gap="xs" align="start" className={classes["firstField"]!}>
          <TextInput
            size="md"
            aria-label={t`URL to shorten`}
            placeholder="https://"
            inputMode="url"
            autoCapitalize="none"
            spellCheck={false}
            value={typed}
            error={problem}
            maxLength={8192}
            onChange={(event) => {
              setTyped(event.currentTarget.value);
              setProblem(null);
            }}
            onPaste={(event) => {
              const pasted = event.clipboardData.getData("text/plain");
              if (!hasTargets(pasted)) return;
              event.preventDefault();
              void navigate({ to: "/links", state: { requested: "new-links", pasted } });
            }}
          />
          <Button type="submit" size="md" loading={isBusy}>
            <Trans>Create link</Trans>
          </Button>
        </Group>
      </form>
      <nav aria-label={t`Other ways to begin`} className={classes["ways"]}>
        {isAdmin && hasRoom("imports") && (
          <Way to="/links/moves" icon={IconFileImport} title={<Trans>Move from another service</Trans>}>
            <Trans>Links and clicks from YOURLS, Shlink, Kutt, or a CSV file</Trans>
          </Way>
        )}
        <Way to="/files" icon={IconShare} title={<Trans>Share a file</Trans>}>
          <Trans>Upload it, and send a link with an expiry date and a password</Trans>
        </Way>
        {isAdmin && (
          <Way to="/users" icon={IconUserPlus} title={<Trans>Invite people</Trans>}>
            <Trans>Each with an account and links of their own</Trans>
          </Way>
        )}
      </nav>
    </Stack>
  );
}

type WayProps = {
  to: "/links/moves" | "/files" | "/users";
  icon: TablerIcon;
  title: ReactNode;
  children: ReactNode;
};

const Way = ({ to, icon: Icon, title, children }: WayProps) => (
  <AnchorLink to={to} underline="never" c="inherit" className={classes["way"]!}>
    <Icon size={20} stroke={1.5} aria-hidden />
    <span>
      <Text span fw={600} size="sm" display="block">
        {title}
      </Text>
      <Text span size="sm" c="dimmed">
        {children}
      </Text>
    </span>
  </AnchorLink>
);
