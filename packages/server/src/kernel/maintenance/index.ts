export { Maintenance, type MaintenanceOptions, type TaskCounts } from './maintenance.ts';
export type { MaintenanceTask, ProcessTimer } from './task.ts';
