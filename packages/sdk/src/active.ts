type AsyncStorage<T> = {
  run<R>(value: T, work: () => R): R;
  getStore(): T | undefined;
};
type Runtime = {
  process?: {
    getBuiltinModule?(name: string): { AsyncLocalStorage?: new <T>() => AsyncStorage<T> } | undefined;
  };
};

/**
 * Storage that follows a piece of work through its awaits. Browsers have no such storage: a lookup there returns
 * undefined.
 */
export function createStorage<T>(): AsyncStorage<T> {
  const { AsyncLocalStorage } =
    (globalThis as Runtime).process?.getBuiltinModule?.('node:async_hooks') ??
    ({} as { AsyncLocalStorage?: undefined });
  return AsyncLocalStorage ? new AsyncLocalStorage<T>() : { run: (_, work) => work(), getStore: () => undefined };
}
