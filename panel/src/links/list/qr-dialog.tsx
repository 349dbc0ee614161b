import { useLingui } from "@lingui/react/macro";
import { Button, Group, Image, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Link } from "../../app/api.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { qrAddress, qrQuery } from "../link-queries.ts";

const SIZE = 240;

export function QrDialog({ link, onClose }: { link: Link; onClose(): void }) {
  const { t } = useLingui();
  const place = { code: link.code, domain: link.domain ?? undefined };
  const { data } = useQuery(qrQuery(place));
  return (
    <Dialog title={t`QR code`} isOpen onClose={onClose}>
      <Stack align="center" gap="sm">
        {data === undefined ? (
          <Skeleton w={SIZE} h={SIZE} />
        ) : (
          <Image src={data} w={SIZE} h={SIZE} radius="sm" alt={t`QR code of ${link.code}`} />
        )}
        <Text size="sm" c="dimmed" ta="center" style={{ overflowWrap: "anywhere" }}>
          {link.short_url}
        </Text>
        <Group gap="xs" grow w="100%">
          {(["svg", "png"] as const).map((format) => (
            <Button
              key={format}
              component="a"
              variant="default"
              href={qrAddress(place, format)}
              download={`${link.code.replaceAll("/", "-")}.${format}`}
            >
              {format.toUpperCase()}
            </Button>
          ))}
        </Group>
      </Stack>
    </Dialog>
  );
}
