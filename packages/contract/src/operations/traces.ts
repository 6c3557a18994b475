export const traces = {};
