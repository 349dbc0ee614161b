import { Trans, useLingui } from "@lingui/react/macro";
import { Button, Group, Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { accountQuery } from "../auth/account.ts";
import type { Share } from "../base/api.ts";
import { useNavigate } from "@tanstack/react-router";
import classes from "./shares.module.css";

const PNG_PIXELS = 1024;

const pictureQuery = (address: string) => ({
  queryKey: ["qr picture", address],
  async queryFn() {
    const { renderSVG } = await import("uqr");
    return `data:image/svg+xml,${encodeURIComponent(renderSVG(address, { border: 4 }))}`;
  },
  staleTime: Number.POSITIVE_INFINITY,
});

function save(href: string, name: string): void {
  const anchor = Object.assign(document.createElement("a"), { href, download: name });
  anchor.click();
}

async function savePng(picture: string, name: string): Promise<void> {
  const image = new Image(PNG_PIXELS, PNG_PIXELS);
  image.src = picture;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width: PNG_PIXELS, height: PNG_PIXELS });
  const context = canvas.getContext("2d")!;
  context.imageSmoothingEnabled = false;
  context.drawImage(image, 0, 0, PNG_PIXELS, PNG_PIXELS);
  save(canvas.toDataURL("image/png"), name);
}

/** Works for accounts of every role: the picture is made here. Editors design and print it like that of a link. */
export function ShareQr({ share }: { share: Share }) {
  const { t } = useLingui();
  const { short_url: address, code, domain } = share;
  const { data: account } = useQuery(accountQuery);
  const { data } = useQuery(pictureQuery(address));
  const navigate = useNavigate();
  // The page of its code has the design.
  const design = () =>
    navigate({
      to: "/link/$",
      params: { _splat: code },
      search: domain === null ? {} : { domain },
      state: { requested: "qr" },
    });
  const isEditor = account !== undefined && account.role !== "user";
  const name = code.replaceAll("/", "-");
  const button = { size: "xs", variant: "default" } as const;
  return (
    <Group align="center" gap="md">
      {data === undefined ? (
        <Skeleton className={classes["qr"]} />
      ) : (
        <img className={classes["qr"]} src={data} alt={t`QR code of ${code}`} />
      )}
      <Stack gap={6}>
        <Button {...button} disabled={data === undefined} onClick={() => save(data!, `${name}.svg`)}>
          SVG
        </Button>
        <Button {...button} disabled={data === undefined} onClick={() => void savePng(data!, `${name}.png`)}>
          PNG
        </Button>
        {isEditor && (
          <Button {...button} onClick={() => void design()}>
            <Trans>Design and print…</Trans>
          </Button>
        )}
      </Stack>
    </Group>
  );
}
