export const outcomes = {};
