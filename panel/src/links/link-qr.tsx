import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Image, Popover, Skeleton, Stack } from "@mantine/core";
import { IconQrcode } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type LinkPlace, qrAddress, qrQuery } from "./link-queries.ts";

const SIZE = 220;

export function LinkQr({ place }: { place: LinkPlace }) {
  const { t } = useLingui();
  return (
    <Popover position="bottom-end" withArrow shadow="md" trapFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<IconQrcode size={16} />}>
          <Trans>QR</Trans>
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t`QR code`}>
        <Picture place={place} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Picture({ place }: { place: LinkPlace }) {
  const { t } = useLingui();
  const { data } = useQuery(qrQuery(place));
  return (
    <Stack gap="xs">
      {data === undefined ? (
        <Skeleton w={SIZE} h={SIZE} />
      ) : (
        <Image src={data} w={SIZE} h={SIZE} radius="sm" alt={t`QR code of ${place.code}`} />
      )}
      <Group gap="xs" grow>
        {(["svg", "png"] as const).map((format) => (
          <Button
            key={format}
            component="a"
            size="xs"
            variant="default"
            href={qrAddress(place, format)}
            download={`${place.code.replaceAll("/", "-")}.${format}`}
          >
            {format.toUpperCase()}
          </Button>
        ))}
      </Group>
    </Stack>
  );
}
