import { Center, Image, Paper, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { INSTANCE_NAME, MARK_URL } from "../base/place.ts";
import { Heading } from "../ui/heading.tsx";

type Props = { title?: string; sentence: ReactNode; children?: ReactNode; wide?: boolean };

/** The frame of a page for people who are not signed in. */
export function Entrance({ title = INSTANCE_NAME, sentence, children, wide = false }: Props) {
  return (
    // A message below does not move what is above.
    <Center component="main" mih="100dvh" p="md" bg="var(--ground)" style={{ alignItems: "start" }}>
      <Paper
        withBorder
        shadow="sm"
        radius="lg"
        p="xl"
        w="100%"
        bg="var(--card)"
        maw={wide ? 480 : 400}
        mt={wide ? "4dvh" : "max(0px, calc(40dvh - 13rem))"}
      >
        <Stack gap="md">
          <div>
            <Image src={MARK_URL} alt="" h={40} w="auto" maw={160} fit="contain" mb="md" />
            <Heading>{title}</Heading>
            <Text c="dimmed" size="sm">
              {sentence}
            </Text>
          </div>
          {children}
        </Stack>
      </Paper>
    </Center>
  );
}
