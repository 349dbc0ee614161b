/**
 * A network of its own for nodes, with one cable for each of `cables` to this process. A cut cable loses packets, and
 * nobody is told. Needs root and iproute2.
 */
import { run } from "./row.ts";

export type Network<Cable extends string> = {
  /** A program that runs the command in the network. */
  prefix: readonly string[];
  /** This process's end of the cable. */
  here(cable: Cable): string;
  /** The nodes' end. */
  there(cable: Cable): string;
  cut(cable: Cable): void;
  mend(cable: Cable): void;
  remove(): void;
};

export function createNetwork<Cable extends string>(cables: readonly Cable[]): Network<Cable> {
  const tag = crypto.randomUUID().slice(0, 6);
  const name = `waymark-${tag}`;
  const subnet = 1 + Math.floor(Math.random() * 250);
  const address = (cable: Cable, end: 1 | 2) => `10.186.${subnet}.${cables.indexOf(cable) * 4 + end}`;
  const link = (cable: Cable) => `wm${tag}${cables.indexOf(cable)}`;
  run(["ip", "netns", "add", name]);
  run(["ip", "-n", name, "link", "set", "lo", "up"]);
  for (const cable of cables) {
    run(["ip", "link", "add", link(cable), "type", "veth", "peer", "name", "far", "netns", name]);
    run(["ip", "-n", name, "link", "set", "far", "name", link(cable)]);
    run(["ip", "addr", "add", `${address(cable, 1)}/30`, "dev", link(cable)]);
    run(["ip", "link", "set", link(cable), "up"]);
    run(["ip", "-n", name, "addr", "add", `${address(cable, 2)}/30`, "dev", link(cable)]);
    run(["ip", "-n", name, "link", "set", link(cable), "up"]);
  }
  return {
    prefix: ["ip", "netns", "exec", name],
    here: (cable) => address(cable, 1),
    there: (cable) => address(cable, 2),
    cut: (cable) => void run(["ip", "link", "set", link(cable), "down"]),
    mend: (cable) => void run(["ip", "link", "set", link(cable), "up"]),
    remove: () => void Bun.spawnSync(["ip", "netns", "del", name]),
  };
}
