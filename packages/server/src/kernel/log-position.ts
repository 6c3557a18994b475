/**
 * A place in the log of an account: right after the event with this `seq`. A log can be set back, by a failover that lost
 * writes or by a backup that was restored, and grow again; the stamp shows whether the event there is still the same.
 */
export type LogPosition = { seq: number; stamp: number };

/** Without a stamp where only a number was given. */
export type GivenPosition = { seq: number; stamp: number | undefined };

export const LOG_BEGIN: LogPosition = { seq: 0, stamp: 0 };

/** `41-k3f9a2`; the beginning of the log is `0`. */
export const positionText = ({ seq, stamp }: LogPosition): string => (seq === 0 ? '0' : `${seq}-${stamp.toString(36)}`);

const POSITION = /^(\d{1,15})(?:-([0-9a-z]{1,7}))?$/;

/** A position as it was given out, or a plain number. */
export function parsePosition(text: string): GivenPosition | undefined {
  const [, seq, stamp] = POSITION.exec(text) ?? [];
  if (seq === undefined) return undefined;
  return { seq: Number(seq), stamp: stamp === undefined ? undefined : Number.parseInt(stamp, 36) };
}

export const isSamePosition = (a: LogPosition, b: LogPosition): boolean => a.seq === b.seq && a.stamp === b.stamp;

/** Whether the event that was found there is the one that the position is after. */
export const isEventAt = <E extends LogPosition>(event: E | undefined, { seq, stamp }: GivenPosition): event is E =>
  event?.seq === seq && (stamp === undefined || event.stamp === stamp);
