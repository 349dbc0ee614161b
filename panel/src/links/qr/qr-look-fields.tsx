import { Trans, useLingui } from "@lingui/react/macro";
import {
  Button,
  FileButton,
  Group,
  Image,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { useState } from "react";
import { formatNumber } from "../../base/i18n.ts";
import { ColourInput } from "./colour-input.tsx";
import { LEVELS, levelFor, LONGEST_FRAME, MM, MOST_MARGIN, type QrLook, SIZES } from "./qr-look.ts";
import { readLogo } from "./qr-picture.ts";

type Props = {
  look: QrLook;
  onLook(look: QrLook): void;
  /** Width of the code in print, in millimetres. */
  printed: number | undefined;
  /** A data URL. */
  logo: string | null;
  onLogo(logo: string | null): void;
};

type AmountProps = { label: string; value: number; min: number; max: number; onChange(value: number): void };

/** A number, as typed until the field is left. Meanwhile the last one that fits counts. */
function Amount({ value, min, max, onChange, ...props }: AmountProps) {
  const [typed, setTyped] = useState<number | string>(value);
  return (
    <NumberInput
      {...props}
      value={typed}
      min={min}
      max={max}
      allowDecimal={false}
      hideControls
      onChange={(next) => {
        setTyped(next);
        if (typeof next === "number" && next >= min && next <= max) onChange(next);
      }}
      onBlur={() => typed === "" && setTyped(value)}
    />
  );
}

export function QrLookFields({ look, onLook, printed, logo, onLogo }: Props) {
  const { t } = useLingui();
  const [isRefused, setIsRefused] = useState(false);
  const levels = {
    L: t`Low: 7 % may be lost`,
    M: t`Medium: 15 % may be lost`,
    Q: t`High: 25 % may be lost`,
    H: t`Highest: 30 % may be lost`,
  };
  async function take(file: File | null): Promise<void> {
    if (file === null) return;
    const picture = await readLogo(file);
    setIsRefused(picture === null);
    if (picture !== null) onLogo(picture);
  }
  return (
    <Stack gap="sm">
      <SimpleGrid cols={2} spacing="xs">
        <Amount
          label={t`Width in pixels (PNG)`}
          value={look.size}
          min={SIZES.least}
          max={SIZES.most}
          onChange={(size) => onLook({ ...look, size })}
        />
        <Amount
          label={t`Width in mm (SVG, PDF)`}
          value={look.mm}
          min={MM.least}
          max={MM.most}
          onChange={(mm) => onLook({ ...look, mm })}
        />
      </SimpleGrid>
      <Text size="xs" c="dimmed" mih="1lh">
        {printed !== undefined && (
          <Trans>
            Both with margin. Without it, the printed code is about {formatNumber(printed)} mm wide.
          </Trans>
        )}
      </Text>
      <SimpleGrid cols={2} spacing="xs">
        <ColourInput label={t`Color`} value={look.dark} onChange={(dark) => onLook({ ...look, dark })} />
        <ColourInput
          label={t`Background`}
          value={look.light}
          onChange={(light) => onLook({ ...look, light })}
        />
        <Amount
          label={t`Margin`}
          value={look.margin}
          min={0}
          max={MOST_MARGIN}
          onChange={(margin) => onLook({ ...look, margin })}
        />
      </SimpleGrid>
      <Select
        label={t`Error correction`}
        description={
          logo !== null
            ? t`With a logo always the highest.`
            : t`More makes a larger code that is read when damaged.`
        }
        value={levelFor(look, logo !== null)}
        onChange={(ecc) => onLook({ ...look, ecc: (ecc ?? "M") as QrLook["ecc"] })}
        data={LEVELS.map((value) => ({ value, label: levels[value] }))}
        disabled={logo !== null}
        allowDeselect={false}
      />
      <TextInput
        label={t`Frame`}
        description={t`A short text below the code. Empty: no frame.`}
        placeholder={t`Scan me`}
        value={look.frame}
        maxLength={LONGEST_FRAME}
        onChange={({ currentTarget: { value: frame } }) => onLook({ ...look, frame })}
      />
      <div role="group" aria-label={t`Logo`}>
        <Text size="sm" fw={600}>
          <Trans>Logo</Trans>
        </Text>
        <Text size="xs" c="dimmed" mb={6}>
          <Trans>A picture in the middle. It stays in this browser.</Trans>
        </Text>
        <Group gap="xs">
          {logo !== null && <Image src={logo} w={36} h={36} fit="contain" alt="" />}
          <FileButton
            onChange={(file) => void take(file)}
            accept="image/png,image/jpeg,image/webp,image/svg+xml,image/gif"
          >
            {(props) => (
              <Button {...props} size="xs" variant="default">
                {logo === null ? <Trans>Choose a picture</Trans> : <Trans>Another picture</Trans>}
              </Button>
            )}
          </FileButton>
          {logo !== null && (
            <Button size="xs" variant="subtle" color="gray" onClick={() => onLogo(null)}>
              <Trans>Remove</Trans>
            </Button>
          )}
        </Group>
        {isRefused && (
          <Text size="xs" c="var(--mantine-color-error)" role="alert" mt={4}>
            <Trans>This is no picture that the browser can show, or it has more than 5 MB.</Trans>
          </Text>
        )}
      </div>
    </Stack>
  );
}
