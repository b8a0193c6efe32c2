export default ({ data }) => keepTexts(data);
