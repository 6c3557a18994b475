/** Whether a manifest names the type: as it is, by what comes before a dot of it, or by a star. */
export const isHandled = (types: readonly string[], event_type: string): boolean =>
  types.some((type) => {
    if (type === event_type || type === '*') return true;
    const start = type.endsWith('.*') ? type.slice(0, -1) : `${type}.`;
    return event_type.startsWith(start);
  });
