/** Milliseconds of processor time of this process since `process.cpuUsage()` answered that. */
export function processorMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}
