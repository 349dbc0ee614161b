import { useMediaQuery } from "@mantine/hooks";

/** As wide as the pages whose menu is at the bottom. */
export const useIsPhone = (): boolean =>
  useMediaQuery("(max-width: 47.99em)", false, { getInitialValueInEffect: false }) === true;
