export default ({ data }) => {
  loadPlotly(data.url).catch(() => {});
};
