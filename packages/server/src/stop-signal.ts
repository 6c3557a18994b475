const SAME_SIGNAL_MS = 500;

/**
 * The first signal stops the service gracefully, a later one at once. Under npm, Ctrl-C arrives twice: from the terminal
 * and from npm.
 */
export function stopSignal(): Promise<string> {
  return new Promise((resolve) => {
    let first: { signal: string; at: number } | undefined;
    const onSignal = (signal: string) => {
      const at = performance.now();
      if (first && (signal !== first.signal || at - first.at > SAME_SIGNAL_MS)) process.exit(1);
      first ??= { signal, at };
      resolve(signal);
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
    if (hasTerminal()) process.on('SIGHUP', onSignal);
  });
}

/** A terminal that is closed sends SIGHUP to what was started in it. Without one, an operator sends it to mean "reload". */
export function onReload(reload: () => void): void {
  if (!hasTerminal()) process.on('SIGHUP', reload);
}

const hasTerminal = (): boolean => Boolean(process.stdin.isTTY || process.stdout.isTTY);
