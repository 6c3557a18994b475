import type { Engine } from '../../db/index.ts';
import type { Kernel } from '../module.ts';

/** What is done over the whole store now and then, by one server at a time, wherever the last one stopped. */
export type MaintenanceTask = {
  name: string;
  /** Left out: on both. */
  only_on?: Engine;
  /** As often as the service is set to, where this is left out. */
  every_seconds?: number;
  /** Also soon after such an event, if nobody has done it since. */
  after?: { event_types: readonly string[]; delay_seconds: number };
  /** May be repeated, also by two servers at once. What takes long asks now and then whether the service is about to stop. */
  run(kernel: Kernel, isStopping: () => boolean): Promise<void>;
};

/** What is about the memory of this very process. Every process does it for itself. */
export type ProcessTimer = { name: string; run(kernel: Kernel): Promise<void> };
