// Colors that belong to the data rather than to the theme.

export const BODY_COLORS = [
  '#4f8fe0', '#ee8a3c', '#35b597', '#d4628f', '#9179dc', '#e0b53a', '#4cb9d6', '#e0604f',
  '#86b545', '#b58a66',
];
export const FIXED_COLOR = '#8e959e';
export const SELECTED_COLOR = '#ffe27a';
export const MODE_COLORS = ['#8b96a8', '#2fbf71', '#f7a325', '#f0476f'];
/** Chains of small and of great forces. */
export const CHAIN_COLORS = ['#7f93ad', '#e8590c'];
export const CURVE_COLORS = [
  '#5aa2f5', '#f28e3c', '#2fbf8f', '#e05c8d', '#a58af0', '#d9b02f', '#3fbcd8', '#ef6a5a',
  '#8fbf4a', '#c0946c',
];
export const GHOST_COLORS = ['#39c6e8', '#ff9f5a', '#b48cff', '#7fd66b'];
